import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { LOCAL } from '../webhooks/timing.ts';

onDashboard(
  'webhooks and events',
  ({ client, openLoggedIn }) => {
    const receiver = startReceiver();

    it('an endpoint is added, its secret is shown once, and a test event is delivered', async () => {
      const page = await openLoggedIn('/webhooks/new');
      await page.getByLabel('URL').fill(receiver.url());
      await page.getByLabel('Label').fill('Till backend');
      await page.getByRole('button', { name: 'Add endpoint' }).last().click();
      const secret = await page
        .getByText(/^whsec_/)
        .first()
        .textContent();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('link', { name: 'Till backend' }).click();
      await page.getByRole('button', { name: 'Send test' }).click();
      const row = page.getByRole('row').filter({ hasText: 'webhook_test' });
      await row.getByText('200').waitFor();
      await row.getByRole('button', { name: 'webhook_test' }).click();
      await page.getByRole('heading', { name: 'Attempts' }).waitFor();
      await row.getByRole('button', { name: 'Redeliver' }).click();
      await expect.poll(() => receiver.received.length).toBeGreaterThan(1);
      expect(await page.content()).not.toContain(secret);
    });

    it('an endpoint to which nothing was delivered is not called active, and its failed delivery is in the activity', async () => {
      receiver.respond = (_received, response) => response.writeHead(500).end();
      const { id } = await client.post('/v1/webhooks', { url: receiver.url('/dead'), user_label: 'Dead end' });
      const { id: delivery } = await client.post(`/v1/webhooks/${id}/test`);
      await expect.poll(async () => (await client.get(`/v1/webhooks/${id}/deliveries/${delivery}`)).status).toBe('dead');
      const page = await openLoggedIn('/webhooks');
      await page.getByRole('row').filter({ hasText: 'Dead end' }).getByText('Nothing delivered yet').waitFor();
      await page.goto('/activity');
      await page.getByRole('link', { name: 'Deliveries' }).click();
      await page.getByRole('button', { name: 'No more attempts' }).click();
      const row = page.getByRole('row').filter({ hasText: 'Dead end' });
      await row.getByText('No more attempts').waitFor();
      await page.getByText('1 – 1 of 1').waitFor();
      await row.getByRole('link', { name: 'Dead end' }).click();
      await page.waitForURL(`**/webhooks/${id}`);
      await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
      receiver.respond = (_received, response) => response.end('ok');
    });

    it('the signing secret is another one after each rotation', async () => {
      const { id, secret } = await client.post('/v1/webhooks', { url: receiver.url('/rotated'), user_label: 'Rotated' });
      const page = await openLoggedIn(`/webhooks/${id}`);
      const secrets = new Set([secret]);
      for (let rotation = 0; rotation < 2; rotation += 1) {
        await page.getByRole('button', { name: 'Rotate secret' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
        secrets.add(
          await page
            .getByText(/^whsec_/)
            .first()
            .textContent(),
        );
        await page.getByRole('button', { name: 'I have stored it' }).click();
      }
      expect(secrets.size).toBe(3);
    });

    it('shows why deliveries fail, pauses and deletes an endpoint', async () => {
      receiver.respond = (_received, response) => response.writeHead(500).end('the till is on fire');
      const { id } = await client.post('/v1/webhooks', { url: receiver.url('/broken'), user_label: 'Broken' });
      await client.post(`/v1/webhooks/${id}/test`);
      const page = await openLoggedIn(`/webhooks/${id}`);
      await page.getByRole('button', { name: 'webhook_test' }).click();
      await page.getByText('the till is on fire').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused').first().waitFor();
      expect((await client.get(`/v1/webhooks/${id}`)).status).toBe('paused');
      await page.getByRole('button', { name: 'Delete endpoint' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }).click();
      await page.waitForURL('**/webhooks');
      expect((await client.request('GET', `/v1/webhooks/${id}`, { key: client.secretKey })).status).toBe(404);
    });

    it('the deliveries of a payment are part of its timeline and change by themselves', async () => {
      const [wallet, other] = [await client.namedWallet('Payer', 1000), await client.namedWallet('Payee', 0)];
      receiver.respond = (_received, response) => response.writeHead(503).end();
      const { id } = await client.post('/v1/webhooks', { url: receiver.url('/timeline'), user_label: 'Shop', wallet_id: wallet.id });
      const { payment_request } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 10 });
      const { lnTx } = await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request });
      const page = await openLoggedIn(`/payments/${lnTx.id}`);
      const entry = page.getByRole('listitem').filter({ hasText: 'Shop, ' });
      await entry.getByText('Webhook failing').waitFor();
      expect(await entry.textContent()).toMatch(/Shop, 127\.0\.0\.1:\d+ · wallet_send · \d+\sattempts? · 503/);
      receiver.respond = (_received, response) => response.end('ok');
      await entry.getByText('Webhook delivered').waitFor();
      await entry.getByRole('link', { name: 'Shop' }).click();
      await page.waitForURL(`**/webhooks/${id}`);
      await page.getByRole('button', { name: 'wallet_send' }).waitFor();
      expect(await page.getByRole('row').filter({ hasText: 'wallet_send' }).textContent()).toContain('200');
      await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    });

    it('events appear by themselves, keep to the filter of the address, and show their data', async () => {
      const wallet = await client.namedWallet('Live wallet', 0);
      const page = await openLoggedIn(`/events?type=wallet_receive&wallet=${wallet.id}`, { device: 'phone', theme: 'dark' });
      await page.getByText('Live', { exact: true }).waitFor();
      await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 321 });
      await page.getByRole('button', { name: 'Payment received' }).click();
      await page.getByText('"name": "wallet_receive"').waitFor();
      expect(await page.getByRole('button', { name: 'Invoice created' }).count()).toBe(0);
    });
  },
  LOCAL,
);
