import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { SmtpServer } from '../support/smtp-server.ts';

const mailServer = await SmtpServer.start();
afterAll(() => mailServer.close());

const SETTINGS = {
  SMTP_URL: `smtp://ops:pass-word@127.0.0.1:${mailServer.port}`,
  ALERT_EMAIL_TO: 'ops@example.com',
  ALERT_EMAIL_FROM: 'satchel@example.com',
};
const TIMING = { notificationsMs: 20, notifications: { gather: 0, between: 0 } };

const subjects = () => mailServer.mails.map(({ headers }) => headers.get('subject')?.replace(/^\[[^\]]*\] /, ''));
const count = (subject: string) => subjects().filter((one) => one === subject).length;

onFakeNode(
  'alerts by e-mail',
  ({ client, another, restart, neighbour, rows }, dialect) => {
    const stop = (reason: string) => client.post('/v1/operator/withdrawals/stop', { reason });
    const resume = () => client.post('/v1/operator/withdrawals/resume', {});
    const test = (headers: Record<string, string>, channel = 'email') =>
      client.request('POST', '/v1/operator/alert-channels/test', { key: client.secretKey, json: { channel }, headers });

    beforeEach(() => {
      mailServer.mails.length = 0;
      mailServer.script = () => undefined;
    });

    it('arrive with the sentence and the link of the dashboard when they are raised, and again when they are resolved', async () => {
      await stop('We check our node.');
      await expect.poll(subjects).toEqual(['Withdrawals are stopped.']);
      const text = mailServer.mails[0]?.text ?? '';
      expect(text).toContain('Customers read: “We check our node.” Receiving and transfers work.');
      expect(text).toContain(`Resume: ${client.url}/operator#withdrawals\n`);
      await resume();
      await expect.poll(subjects).toEqual(['Withdrawals are stopped.', 'Resolved: Withdrawals are stopped.']);
      expect(JSON.stringify(mailServer.mails)).not.toMatch(/pass-word|sak_/);
    });

    it('are not lost when the service is stopped between an alert and its message', async () => {
      mailServer.script = (command) => (command === 'MAIL' ? 'hang' : undefined);
      await stop('Before the restart.');
      await expect.poll(() => mailServer.lines.filter((line) => line.startsWith('MAIL FROM')).length).toBeGreaterThan(0);
      await restart(() => {
        mailServer.script = () => undefined;
      });
      await expect.poll(subjects).toEqual(['Withdrawals are stopped.']);
      await resume();
      await expect.poll(() => count('Resolved: Withdrawals are stopped.')).toBe(1);
    });

    it.runIf(dialect === 'postgres')('are sent once by two instances', async () => {
      await another();
      await stop('Once.');
      await expect.poll(() => count('Withdrawals are stopped.')).toBe(1);
      await resume();
      await expect.poll(() => count('Resolved: Withdrawals are stopped.')).toBe(1);
      await test({ 'idempotency-key': 'after both' });
      expect(subjects()).toEqual(['Withdrawals are stopped.', 'Resolved: Withdrawals are stopped.', 'A test message']);
    });

    it('are tested by operators, once for each Idempotency-Key', async () => {
      const first = await test({ 'idempotency-key': 'test 1' });
      expect(first.body).toEqual({
        channel: 'email',
        recipient: 'ops@example.com',
        status: 'working',
        last_sent_at: expect.any(Number),
        failing_since: null,
        failure: null,
      });
      const again = await test({ 'idempotency-key': 'test 1' });
      expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
      expect(subjects()).toEqual(['A test message']);
      expect(await client.get('/v1/operator/alert-channels')).toEqual([first.body]);
    });

    it('show why a test failed, without the password', async () => {
      mailServer.script = (command) => (command === 'AUTH' ? '535 5.7.8 wrong pass-word' : undefined);
      const { status, body } = await test({ 'idempotency-key': 'test 2' });
      expect([status, body.status, body.failing_since]).toEqual([200, 'failing', expect.any(Number)]);
      expect(body.failure).toBe('The mail server 127.0.0.1 refused the user or the password of SMTP_URL.');
      mailServer.script = () => undefined;
      expect((await test({ 'idempotency-key': 'test 3' })).body.status).toBe('working');
    });

    it('name the settings of a channel that is not configured', async () => {
      const { status, body } = await test({ 'idempotency-key': 'test 4' }, 'telegram');
      expect([status, body.type]).toEqual([409, 'action_refused']);
      expect(body.message).toContain('Set TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID, and restart');
      expect((await test({ 'idempotency-key': 'test 5' }, 'pigeon')).status).toBe(400);
    });

    it('are configured and tested by operators alone', async () => {
      const options = { key: neighbour.secretKey, json: { channel: 'email' } };
      expect((await neighbour.request('GET', '/v1/operator/alert-channels', { key: neighbour.secretKey })).status).toBe(403);
      expect((await neighbour.request('POST', '/v1/operator/alert-channels/test', options)).status).toBe(403);
      expect(subjects()).toEqual([]);
    });

    it('leave no secret in the database', async () => {
      const stored = [await rows('SELECT * FROM alert_channel'), await rows('SELECT * FROM alert'), await rows('SELECT * FROM event')];
      expect(JSON.stringify(stored)).not.toContain('pass-word');
    });
  },
  SETTINGS,
  TIMING,
);

describe('alerts to Telegram', () => {
  const TOKEN = '123456789:AAExampleTokenOfABot-with_35_characters';
  const texts: string[] = [];
  const answers: { status: number; body: object }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body } = answers.shift() ?? { status: 200, body: { ok: true } };
    if (status === 200) texts.push(JSON.parse(Buffer.concat(chunks).toString()).text);
    response.writeHead(status).end(JSON.stringify(body));
  });
  const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  const timing = {
    ...TIMING,
    notifications: {
      ...TIMING.notifications,
      get telegramApi() {
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      },
    },
  };

  onFakeNode(
    'the service',
    ({ client, rows }) => {
      it('sends alerts, waits when Telegram asks, and never stores the token', async () => {
        await listening;
        texts.length = 0;
        answers.push({ status: 429, body: { ok: false, description: `slow down, bot${TOKEN}`, parameters: { retry_after: 600 } } });
        await client.post('/v1/operator/withdrawals/stop', { reason: 'A check.' });
        const channels = () => client.get('/v1/operator/alert-channels');
        await expect.poll(channels).toMatchObject([{ channel: 'telegram', recipient: '42', status: 'failing' }]);
        expect((await channels())[0].failure).toBe('Telegram responded with the status 429. Its response: slow down, bot…');
        expect(texts).toEqual([]);
        const tested = await client.post('/v1/operator/alert-channels/test', { channel: 'telegram' });
        expect(tested.status).toBe('working');
        await expect.poll(() => texts.length).toBe(2);
        expect(texts[1]).toMatch(/^Withdrawals are stopped\.\n/);
        const stored = [await rows('SELECT * FROM alert_channel'), await rows('SELECT * FROM alert'), await rows('SELECT * FROM event')];
        expect(JSON.stringify(stored)).not.toContain(TOKEN);
      });
    },
    { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_CHAT_ID: '42', OUTBOUND_ALLOW: '127.0.0.1' },
    timing,
  );
});
