import { isJsonObject } from '../../core/kernel/json.ts';
import { type Outbound, OutboundError } from '../../core/outbound/outbound.ts';
import { type AlertMessage, type Channel, ChannelError, quotable } from './channel.ts';
import type { TelegramSettings } from './settings.ts';

const API = 'https://api.telegram.org';
const TIMEOUT_MS = 15_000;

interface TelegramOptions extends TelegramSettings {
  readonly outbound: Pick<Outbound, 'post'>;
  /** For tests. */
  readonly api?: string | undefined;
}

/** Returns the channel that sends alerts to a chat of Telegram. The path of the URL contains the token, so the URL must not be logged. */
export function createTelegramChannel({ outbound, token, chatId, api = API }: TelegramOptions): Channel {
  const url = `${api}/bot${token}/sendMessage`;

  async function send({ text }: AlertMessage, signal: AbortSignal): Promise<undefined> {
    const body = JSON.stringify({ chat_id: chatId, text, link_preview_options: { is_disabled: true } });
    const options = { headers: { 'content-type': 'application/json' }, body, timeoutMs: TIMEOUT_MS, signal };
    // OpenTelemetry instrumentation would record the URL.
    const { status, text: response } = await outbound.post(url, options).catch((error: unknown) => {
      if (error instanceof OutboundError) throw new ChannelError(reasonOf(error));
      throw error;
    });
    if (status === 200) return;
    const { description, retryAfterSeconds } = parseError(response);
    const remedy = REMEDIES[status] ?? '';
    const said = description === '' ? '' : ` Its response: ${quotable(description, [token])}`;
    throw new ChannelError(`Telegram responded with the status ${status}.${remedy}${said}`, retryAfterSeconds);
  }

  return { name: 'telegram', recipient: chatId, send };
}

const REMEDIES: Readonly<Record<number, string>> = {
  400: ' Check TELEGRAM_CHAT_ID, and that the bot is a member of the chat.',
  401: ' Check TELEGRAM_BOT_TOKEN.',
  403: ' The bot may not write to the chat: start a conversation with it, or add it to the group.',
  404: ' Check TELEGRAM_BOT_TOKEN.',
};

function reasonOf({ reason }: OutboundError): string {
  if (reason === 'timed_out') return 'Telegram did not respond in time.';
  if (reason === 'busy') return 'Telegram was not requested, because too many requests to other services are running.';
  return 'Telegram could not be reached, or gave no valid response.';
}

/** Reads the error of a response. Its body may be cut off, or come from a proxy. */
function parseError(response: string): { readonly description: string; readonly retryAfterSeconds: number } {
  let json: unknown;
  try {
    json = JSON.parse(response);
  } catch {}
  const { description, parameters } = isJsonObject(json) ? json : {};
  const wait = isJsonObject(parameters) ? parameters.retry_after : undefined;
  return {
    description: typeof description === 'string' ? description : '',
    retryAfterSeconds: typeof wait === 'number' && Number.isSafeInteger(wait) && wait > 0 ? wait : 0,
  };
}
