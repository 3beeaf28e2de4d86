import { expect, it, onTestFinished } from 'vitest';
import { type Channel, ChannelError } from '../../src/features/notifications/channel.ts';
import { createEmailChannel } from '../../src/features/notifications/email.ts';
import type { EmailSettings } from '../../src/features/notifications/settings.ts';
import { trustTestAuthority } from '../outbound/world.ts';
import { freePort } from '../support/free-port.ts';
import { SmtpServer } from '../support/smtp-server.ts';

trustTestAuthority();

const FAR = new AbortController().signal;
const PASSWORD = 'p%ss word:ü1';
const MESSAGE = { subject: '[wallet.example.com] 1\u202f234 sats — a “test”', text: 'A line.\n.\nÜber 1\u202f234 sats.\n\nThe end' };

async function mailServer(encryption?: Parameters<typeof SmtpServer.start>[0]): Promise<SmtpServer> {
  const server = await SmtpServer.start(encryption);
  onTestFinished(() => server.close());
  return server;
}

function channelTo(port: number, settings: Partial<EmailSettings> = {}): Channel {
  const usual = {
    host: '127.0.0.1',
    tls: 'none',
    user: 'ops',
    password: PASSWORD,
    from: 'satchel@example.com',
    to: ['a@example.com'],
  } as const;
  return createEmailChannel({ ...usual, port, ...settings }, { stepMs: 300, totalMs: 1500 });
}

/** Returns the message of the error of a message that was not sent. */
async function failureOf(channel: Channel): Promise<string> {
  const error = await channel.send(MESSAGE, FAR).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ChannelError);
  return (error as ChannelError).message;
}

it('sends a mail to all recipients, with its text and headers unchanged', async () => {
  const server = await mailServer();
  expect(await channelTo(server.port, { to: ['a@example.com', 'b@example.org'] }).send(MESSAGE, FAR)).toBeUndefined();
  const [mail] = server.mails;
  expect(server.mails).toHaveLength(1);
  expect([mail?.from, mail?.to]).toEqual(['satchel@example.com', ['a@example.com', 'b@example.org']]);
  expect(mail?.headers.get('subject')).toBe(MESSAGE.subject);
  expect(mail?.headers.get('from')).toBe('satchel@example.com');
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
  expect(mail?.text.trim()).toBe(MESSAGE.text);
  const [, login = ''] = server.lines.find((line) => line.startsWith('AUTH PLAIN '))?.split('PLAIN ') ?? [];
  expect(Buffer.from(login, 'base64').toString()).toBe(`\0ops\0${PASSWORD}`);
});

it('cannot be made to add a header or a command by the text of an alert', async () => {
  const server = await mailServer();
  const subject = 'A label\r\nBcc: eve@example.com\r\n\r\nbody';
  await channelTo(server.port).send({ subject, text: 'One.\r\n.\r\nMAIL FROM:<eve@example.com>\r\n' }, FAR);
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.headers.has('bcc')).toBe(false);
  expect(server.mails[0]?.to).toEqual(['a@example.com']);
});

it.each([
  [
    'that refuses the login',
    (command: string) => (command === 'AUTH' ? '535 5.7.8 bad credentials' : undefined),
    /refused the user or the password/,
  ],
  ['that is busy', (command: string) => (command === 'greeting' ? '421 4.3.2 try later' : undefined), /421 4\.3\.2 try later/],
  [
    'that refuses the sender',
    (command: string) => (command === 'MAIL' ? '550 5.7.1 not you' : undefined),
    /refused the sender or the recipients.*not you/,
  ],
  ['that refuses every recipient', (command: string) => (command === 'RCPT' ? '550 5.1.1 unknown' : undefined), /recipients.*unknown/],
  ['that refuses the mail', (command: string) => (command === 'end of data' ? '554 5.6.0 spam' : undefined), /554 5\.6\.0 spam/],
  ['that sends no greeting', (command: string) => (command === 'greeting' ? 'hang' : undefined), /did not respond in time/],
  ['that hangs after the mail', (command: string) => (command === 'end of data' ? 'hang' : undefined), /did not respond in time/],
  [
    'that does not speak SMTP',
    (command: string) => (command === 'greeting' ? 'HTTP/1.1 400 Bad Request' : undefined),
    /could not be reached, or refused/,
  ],
])('reports a server %s, without its secrets', async (_name, script, expected) => {
  const server = await mailServer();
  server.script = script;
  const failure = await failureOf(channelTo(server.port));
  expect(failure).toMatch(expected);
  expect(failure).toMatch(/^The mail server 127\.0\.0\.1 /);
  expect(server.mails).toEqual([]);
});

it('reports a server that repeats the password, without the password', async () => {
  const server = await mailServer();
  const encoded = Buffer.from(`\0ops\0${PASSWORD}`).toString('base64');
  server.script = (command) =>
    command === 'MAIL' ? `550 you said ${encoded} ${PASSWORD} ${Buffer.from(PASSWORD).toString('base64')}` : undefined;
  const failure = await failureOf(channelTo(server.port));
  expect(failure).toContain('you said … … …');
});

it('reports a port at which nothing listens', async () => {
  expect(await failureOf(channelTo(await freePort()))).toMatch(/could not be reached/);
});

it('reports the recipients that were refused, when others got the mail', async () => {
  const server = await mailServer();
  server.script = (command, address) => (command === 'RCPT' && address.startsWith('b@') ? '550 unknown' : undefined);
  const refused = await channelTo(server.port, { to: ['a@example.com', 'b@example.org'] }).send(MESSAGE, FAR);
  expect(refused).toBe('The mail server 127.0.0.1 refused the recipient b@example.org.');
  expect(server.mails[0]?.to).toEqual(['a@example.com']);
});

it.each(['implicit', 'starttls'] as const)('encrypts everything with a valid certificate (%s)', async (how) => {
  const server = await mailServer({ how, certificate: 'server.pem' });
  expect(await channelTo(server.port, { tls: how }).send(MESSAGE, FAR)).toBeUndefined();
  expect(server.mails[0]?.text.trim()).toBe(MESSAGE.text);
});

it.each([
  ['implicit', 'self-signed.pem'],
  ['implicit', 'expired.pem'],
  ['starttls', 'self-signed.pem'],
  ['starttls', 'expired.pem'],
] as const)('sends nothing to a server whose certificate is invalid (%s, %s)', async (how, certificate) => {
  const server = await mailServer({ how, certificate });
  const failure = await failureOf(channelTo(server.port, { tls: how }));
  expect(failure).toMatch(/certificate/);
  expect(server.lines.filter((line) => !/^(EHLO|STARTTLS)/.test(line))).toEqual([]);
});

it('sends neither the password nor the mail to a server without encryption that is on another machine', async () => {
  const server = await mailServer();
  expect(await failureOf(channelTo(server.port, { tls: 'starttls' }))).toMatch(/STARTTLS/);
  expect(server.lines.filter((line) => !/^(EHLO|STARTTLS|QUIT)/.test(line))).toEqual([]);
});

it('stops when the service stops', async () => {
  const server = await mailServer();
  server.script = (command) => (command === 'greeting' ? 'hang' : undefined);
  const stopping = new AbortController();
  const sending = createEmailChannel(
    {
      host: '127.0.0.1',
      port: server.port,
      tls: 'none',
      user: undefined,
      password: undefined,
      from: 'a@example.com',
      to: ['b@example.com'],
    },
    { stepMs: 60_000, totalMs: 60_000 },
  ).send(MESSAGE, stopping.signal);
  stopping.abort();
  await expect(sending).rejects.toThrow(ChannelError);
});
