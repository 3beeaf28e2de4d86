import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { InvalidConfig } from '../../src/settings.ts';

const EMAIL = { SMTP_URL: 'smtps://ops%40example.com:s%3Acret@mail.example.com', ALERT_EMAIL_TO: 'a@example.com, b@example.org' };
const TOKEN = '123456789:AAExampleTokenOfABot-with_35_characters';
const TELEGRAM = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_CHAT_ID: '-1001234567890' };

const read = (settings: Record<string, string>) => readConfig(settings).notifications;

it('reads the mail server, and takes its user as the sender', () => {
  expect(read({})).toEqual({ email: undefined, telegram: undefined });
  expect(read(EMAIL).email).toEqual({
    host: 'mail.example.com',
    port: 465,
    tls: 'implicit',
    user: 'ops@example.com',
    password: 's:cret',
    from: 'ops@example.com',
    to: ['a@example.com', 'b@example.org'],
  });
  expect(read(TELEGRAM).telegram).toEqual({ token: TOKEN, chatId: '-1001234567890' });
});

it.each([
  ['smtp://mail.example.com', 'starttls', 587],
  ['smtp://u:p@mail.example.com:2525', 'starttls', 2525],
  ['smtp://10.0.0.7:25', 'starttls', 25],
  ['smtp://localhost:1025', 'none', 1025],
  ['smtp://127.0.0.1:25', 'none', 25],
  ['smtp://[::1]:25', 'none', 25],
  ['smtps://localhost', 'implicit', 465],
])('requires encryption, unless the server is on this machine: %s', (url, tls, port) => {
  const { email } = read({ SMTP_URL: url, ALERT_EMAIL_TO: 'a@example.com', ALERT_EMAIL_FROM: 's@example.com' });
  expect([email?.tls, email?.port]).toEqual([tls, port]);
});

it('reads the secrets from files, too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-notifications-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'url'), `${EMAIL.SMTP_URL}\n`);
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  const files = { SMTP_URL_FILE: join(folder, 'url'), TELEGRAM_BOT_TOKEN_FILE: join(folder, 'token') };
  const { email, telegram } = read({ ALERT_EMAIL_TO: 'a@example.com', TELEGRAM_CHAT_ID: '1', ...files });
  expect([email?.password, telegram?.token]).toEqual(['s:cret', TOKEN]);
});

it.each<[string, Record<string, string>, RegExp]>([
  ['recipients without a server', { ALERT_EMAIL_TO: 'a@example.com' }, /^SMTP_URL and ALERT_EMAIL_TO must be set together/],
  ['a server without recipients', { SMTP_URL: EMAIL.SMTP_URL }, /^SMTP_URL and ALERT_EMAIL_TO must be set together/],
  ['another scheme', { ...EMAIL, SMTP_URL: 'https://u:hidden@mail.example.com' }, /^SMTP_URL must be smtps:\/\//],
  ['a path', { ...EMAIL, SMTP_URL: 'smtp://u:hidden@mail.example.com/x' }, /^SMTP_URL must be/],
  ['parameters', { ...EMAIL, SMTP_URL: 'smtp://u:hidden@mail.example.com?tls=no' }, /^SMTP_URL must be/],
  ['a user without a password', { ...EMAIL, SMTP_URL: 'smtp://hidden@mail.example.com' }, /^SMTP_URL must be/],
  ['a line break in the password', { ...EMAIL, SMTP_URL: 'smtp://u:hidden%0d%0a@mail.example.com' }, /^SMTP_URL must be/],
  ['a broken encoding', { ...EMAIL, SMTP_URL: 'smtp://u:hidden%zz@mail.example.com' }, /^SMTP_URL must be/],
  ['no host', { ...EMAIL, SMTP_URL: 'smtp://' }, /^SMTP_URL must be/],
  ['a name in front of an address', { ...EMAIL, ALERT_EMAIL_TO: 'Ops <a@example.com>' }, /^ALERT_EMAIL_TO must be 1 to 10 addresses/],
  ['a header in an address', { ...EMAIL, ALERT_EMAIL_TO: 'a@example.com\nBcc:eve@example.com' }, /^ALERT_EMAIL_TO must be/],
  ['an address with quotes', { ...EMAIL, ALERT_EMAIL_TO: '"a b"@example.com' }, /^ALERT_EMAIL_TO must be/],
  [
    'too many recipients',
    { ...EMAIL, ALERT_EMAIL_TO: Array.from({ length: 11 }, (_, i) => `a${i}@example.com`).join() },
    /^ALERT_EMAIL_TO must be/,
  ],
  ['a header in the sender', { ...EMAIL, ALERT_EMAIL_FROM: 'a@example.com\r\nBcc: eve@example.com' }, /^ALERT_EMAIL_FROM must be/],
  ['no sender', { ...EMAIL, SMTP_URL: 'smtps://ops:hidden@mail.example.com' }, /^ALERT_EMAIL_FROM must be/],
  ['a bot without a chat', { TELEGRAM_BOT_TOKEN: TOKEN }, /^TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID must be set together/],
  ['a chat without a bot', { TELEGRAM_CHAT_ID: '1' }, /^TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID must be set together/],
  ['a path in the token', { ...TELEGRAM, TELEGRAM_BOT_TOKEN: `${TOKEN}/../hidden` }, /^TELEGRAM_BOT_TOKEN must be the token/],
  ['no number of the bot', { ...TELEGRAM, TELEGRAM_BOT_TOKEN: 'hidden' }, /^TELEGRAM_BOT_TOKEN must be the token/],
  ['a name of a chat with a space', { ...TELEGRAM, TELEGRAM_CHAT_ID: 'my chat' }, /^TELEGRAM_CHAT_ID must be/],
])('stops the start with what to do, without the secret: %s', (_name, settings, expected) => {
  expect(() => read(settings)).toThrow(InvalidConfig);
  expect(() => read(settings)).toThrow(expected);
  expect(() => read(settings)).not.toThrow(/hidden|s:cret|AAExample/);
});
