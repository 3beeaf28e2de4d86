import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseAllowList } from '../../src/core/outbound/addresses.ts';
import { Outbound } from '../../src/core/outbound/outbound.ts';
import { type Channel, ChannelError } from '../../src/features/notifications/channel.ts';
import { createTelegramChannel } from '../../src/features/notifications/telegram.ts';
import { freePort } from '../support/free-port.ts';

const TOKEN = '123456789:AAExampleTokenOfABot-with_35_characters';
const FAR = new AbortController().signal;
const MESSAGE = { subject: 'A subject', text: 'A line with <b>no</b> markup & 1\u202f234 sats.' };

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A channel to a service on this machine in place of Telegram, its requests, and everything that the client logs. */
async function telegram(respond: Respond, timeoutMs = 500) {
  const requests: { url: string | undefined; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ url: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) });
    respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { requests, ...channelTo((server.address() as AddressInfo).port, timeoutMs) };
}

function channelTo(port: number, timeoutMs = 500) {
  const logged: string[] = [];
  const log = { debug: (fields: object, message: string) => void logged.push(JSON.stringify({ fields, message })) };
  const timeout = () => AbortSignal.timeout(timeoutMs);
  const outbound = new Outbound({ allow: parseAllowList('127.0.0.1'), proxy: undefined, log, timeout });
  const api = `http://127.0.0.1:${port}`;
  return { logged, channel: createTelegramChannel({ outbound, token: TOKEN, chatId: '-1001', api }) };
}

function replyWith(status: number, body: string): Respond {
  return (_request, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

async function failureOf(channel: Channel): Promise<ChannelError> {
  const error = await channel.send(MESSAGE, FAR).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ChannelError);
  return error as ChannelError;
}

it('sends the text to the chat, without markup and previews of links', async () => {
  const { channel, requests } = await telegram(replyWith(200, '{"ok":true,"result":{}}'));
  expect(await channel.send(MESSAGE, FAR)).toBeUndefined();
  const body = { chat_id: '-1001', text: MESSAGE.text, link_preview_options: { is_disabled: true } };
  expect(requests).toEqual([{ url: `/bot${TOKEN}/sendMessage`, body }]);
});

it('waits as long as Telegram asks', async () => {
  const body = '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 35","parameters":{"retry_after":35}}';
  const { channel } = await telegram(replyWith(429, body));
  const failure = await failureOf(channel);
  expect(failure.retryAfterSeconds).toBe(35);
  expect(failure.message).toBe('Telegram responded with the status 429. Its response: Too Many Requests: retry after 35');
});

it.each([
  [
    400,
    '{"ok":false,"description":"Bad Request: chat not found"}',
    /^Telegram responded with the status 400\. Check TELEGRAM_CHAT_ID.*chat not found$/,
  ],
  [401, '{"ok":false,"description":"Unauthorized"}', /Check TELEGRAM_BOT_TOKEN/],
  [403, '{"ok":false,"description":"Forbidden: bot was blocked by the user"}', /may not write to the chat/],
  [404, '{"ok":false,"description":"Not Found"}', /Check TELEGRAM_BOT_TOKEN/],
  [500, '<html>', /^Telegram responded with the status 500\.$/],
  [502, '{"description":{"a":1},"parameters":{"retry_after":"7"}}', /^Telegram responded with the status 502\.$/],
  [302, '', /^Telegram responded with the status 302\.$/],
])('reports the status %s with what to do', async (status, body, expected) => {
  const { channel } = await telegram(replyWith(status, body));
  const { message, retryAfterSeconds } = await failureOf(channel);
  expect(message).toMatch(expected);
  expect(retryAfterSeconds).toBe(0);
});

const FAILURES: readonly [string, Respond][] = [
  ['repeats the URL', replyWith(404, JSON.stringify({ ok: false, description: `no /bot${TOKEN}/sendMessage` }))],
  ['hangs', () => undefined],
  ['breaks off', (request) => void request.socket.destroy()],
  ['sends no HTTP', (request) => void request.socket.end(`nonsense ${TOKEN}\r\n\r\n`)],
  ['redirects to a URL with the token', (_, response) => response.writeHead(302, { location: `http://127.0.0.1:1/bot${TOKEN}` }).end()],
];

it.each(FAILURES)('never shows the token of the bot when the service %s', async (_name, respond) => {
  const { channel, logged } = await telegram(respond);
  const { message, stack = '', cause } = await failureOf(channel);
  const shown = [message, stack, String(cause), ...logged].join('\n');
  expect(shown).not.toContain(TOKEN);
  expect(shown).not.toContain(TOKEN.slice(10));
});

it('never shows the token of the bot when nothing listens', async () => {
  const { channel, logged } = channelTo(await freePort());
  const { message, stack = '' } = await failureOf(channel);
  expect(message).toBe('Telegram could not be reached, or gave no valid response.');
  expect(logged).toHaveLength(1);
  expect([message, stack, ...logged].join('\n')).not.toContain(TOKEN.slice(10));
});
