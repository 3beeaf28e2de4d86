import { afterAll, expect, it } from 'vitest';
import { onFakeNodeWithSqlite } from '../support/app.ts';
import { commandSettings, runSatchel } from '../support/process.ts';
import { SmtpServer } from '../support/smtp-server.ts';

const mailServer = await SmtpServer.start();
afterAll(() => mailServer.close());

onFakeNodeWithSqlite(
  'satchel alerts',
  ({ client }) => {
    const run = (...args: string[]) => runSatchel(args, commandSettings(client));

    it('sends a test message through each channel, and lists the channels', async () => {
      expect(await run('alerts', 'test')).toMatchObject({ code: 0, stdout: 'Sent by email to ops@example.com.\n' });
      expect(mailServer.mails.map(({ to }) => to)).toEqual([['ops@example.com']]);
      const listed = await run('alerts', 'channels');
      expect(listed.code).toBe(0);
      expect(listed.stdout).toMatch(/^ *channel +recipient +last message .*\n *email +ops@example\.com +\d{4}-/);
      const json = await run('alerts', 'channels', '--json');
      expect(JSON.parse(json.stdout)).toMatchObject([{ channel: 'email', status: 'working', failure: null }]);
    });

    it('ends with the exit code 1 and the reason when a message was not sent', async () => {
      mailServer.script = (command) => (command === 'AUTH' ? '535 5.7.8 no' : undefined);
      const reason = 'The mail server 127.0.0.1 refused the user or the password of SMTP_URL.';
      expect(await run('alerts', 'test', 'email')).toMatchObject({ code: 1, stdout: `Not sent by email: ${reason}\n` });
      const unknown = await run('alerts', 'test', 'telegram');
      expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('Set TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID')]);
      expect(await run('alerts', 'test', 'pigeon')).toMatchObject({ code: 2, output: expect.stringContaining('email or telegram') });
    });
  },
  {
    SMTP_URL: `smtp://ops:secret@127.0.0.1:${mailServer.port}`,
    ALERT_EMAIL_TO: 'ops@example.com',
    ALERT_EMAIL_FROM: 'satchel@example.com',
  },
);
