import { afterAll, expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';
import { SmtpServer } from '../support/smtp-server.ts';

const mailServer = await SmtpServer.start();
afterAll(() => mailServer.close());

onDashboard(
  'the channels that send alerts',
  ({ openLoggedIn }) => {
    it('are tested on the page of the operator, which shows the last message', async () => {
      const page = await openLoggedIn('/operator#notifications');
      const email = page.getByRole('region', { name: 'E-mail' });
      await email.getByText('ops@example.com').waitFor();
      await email.getByText('No messages sent yet').waitFor();
      await email.getByRole('button', { name: 'Send a test message' }).dblclick();
      await email.getByText('The test message was sent.').waitFor();
      expect(mailServer.mails.map(({ to }) => to)).toEqual([['ops@example.com']]);
      await page.reload();
      await email.getByText(/^Last message .*\d\d:\d\d/).waitFor();
    });

    it('show why messages fail, until one is sent', async () => {
      mailServer.script = (command) => (command === 'MAIL' ? '550 5.7.1 <img src=x onerror=alert(1)>' : undefined);
      const page = await openLoggedIn('/operator', { device: 'phone', context: { reducedMotion: 'reduce' } });
      const email = page.getByRole('region', { name: 'E-mail' });
      await email.getByRole('button', { name: 'Send a test message' }).click();
      await email.getByText('550 5.7.1 <img src=x onerror=alert(1)>').waitFor();
      await email.getByText('Failing since').waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
      mailServer.script = () => undefined;
      await email.getByRole('button', { name: 'Send a test message' }).click();
      await email.getByText('The test message was sent.').waitFor();
      await email.getByText('Failing since').waitFor({ state: 'detached' });
    });
  },
  {
    SMTP_URL: `smtp://ops:secret@127.0.0.1:${mailServer.port}`,
    ALERT_EMAIL_TO: 'ops@example.com',
    ALERT_EMAIL_FROM: 'satchel@example.com',
  },
);

onDashboard('a service without channels', ({ openLoggedIn }) => {
  it('names the settings that an operator has to set', async () => {
    const page = await openLoggedIn('/operator');
    await page.getByText('Alerts are shown here only').waitFor();
    await page
      .locator('.card', { hasText: 'Alerts by e-mail and Telegram' })
      .getByText(/^Set SMTP_URL and ALERT_EMAIL_TO, or TELEGRAM_BOT_TOKEN/)
      .waitFor();
  });
});
