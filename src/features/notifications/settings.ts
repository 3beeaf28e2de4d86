import { isIP } from 'node:net';
import { isLoopback } from '../../http/limits/addresses.ts';

/** The mail server, the sender and the recipients of alerts. */
export interface EmailSettings {
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte. `starttls`: TLS before anything else is sent. `none`: the server is on this machine. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
}

/** The bot and the chat that gets alerts. */
export interface TelegramSettings {
  /** A secret. */
  readonly token: string;
  readonly chatId: string;
}

interface SettingsReader {
  get(name: string): string | undefined;
  /** Returns the error of a setting. The message must not contain a secret. */
  invalid(message: string): Error;
}

const MAX_RECIPIENTS = 10;

/** Reads SMTP_URL, ALERT_EMAIL_TO and ALERT_EMAIL_FROM. @returns undefined if none is set */
export function readEmailSettings({ get, invalid }: SettingsReader): EmailSettings | undefined {
  const [url, to, from] = [get('SMTP_URL'), get('ALERT_EMAIL_TO'), get('ALERT_EMAIL_FROM')];
  if (url === undefined && to === undefined && from === undefined) return undefined;
  if (url === undefined || to === undefined)
    throw invalid('SMTP_URL and ALERT_EMAIL_TO must be set together: the mail server and the recipients of alerts.');
  const server = parseSmtpUrl(url);
  if (!server)
    throw invalid(
      'SMTP_URL must be smtps://user:password@host or smtp://user:password@host:587. In the user and the password, write special characters ' +
        'as in URLs, such as %40 for @.',
    );
  const recipients = [...new Set(to.split(/[\s,]+/).filter(Boolean))];
  if (recipients.length > MAX_RECIPIENTS || !recipients.every(isAddress))
    throw invalid(`ALERT_EMAIL_TO must be 1 to ${MAX_RECIPIENTS} addresses such as ops@example.com, separated by commas, without names.`);
  const sender = from ?? server.user ?? '';
  if (!isAddress(sender)) throw invalid('ALERT_EMAIL_FROM must be the address of the sender, such as satchel@example.com, without a name.');
  return { ...server, from: sender, to: recipients };
}

/** Reads TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID. @returns undefined if none is set */
export function readTelegramSettings({ get, invalid }: SettingsReader): TelegramSettings | undefined {
  const [token, chatId] = [get('TELEGRAM_BOT_TOKEN'), get('TELEGRAM_CHAT_ID')];
  if (token === undefined && chatId === undefined) return undefined;
  if (token === undefined || chatId === undefined)
    throw invalid('TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID must be set together: the bot and the chat that gets alerts.');
  if (!/^\d{3,20}:[\w-]{30,100}$/.test(token))
    throw invalid('TELEGRAM_BOT_TOKEN must be the token that @BotFather shows, with a number, a colon and 35 letters and digits.');
  if (!/^(-?\d{1,20}|@[A-Za-z]\w{3,31})$/.test(chatId))
    throw invalid('TELEGRAM_CHAT_ID must be the number of a chat, which is negative for groups, or the @name of a public channel.');
  return { token, chatId };
}

function parseSmtpUrl(text: string): Omit<EmailSettings, 'from' | 'to'> | undefined {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || !/^\/?$/.test(url.pathname) || url.search || url.hash) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(host) === 0 && !isDomain(host)) return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined;
  const isImplicit = url.protocol === 'smtps:';
  const tls = isImplicit ? 'implicit' : isThisMachine(host) ? 'none' : 'starttls';
  return { host, port: Number(url.port) || (isImplicit ? 465 : 587), tls, user: user || undefined, password: password || undefined };
}

/** @returns undefined if the text is not valid percent-encoding, or has control characters */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? undefined : plain;
  } catch {
    return undefined;
  }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && isLoopback(host));
}

function isDomain(text: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9]([a-z0-9-]{0,62}))*$/i.test(text);
}

/** Accepts only addresses that need no quotes, so that an address cannot end its header. */
function isAddress(text: string): boolean {
  const [, local, domain = ''] = /^([\w.!#$%&'*+/=?^`{|}~-]{1,64})@([^@]+)$/.exec(text) ?? [];
  return local !== undefined && isDomain(domain);
}
