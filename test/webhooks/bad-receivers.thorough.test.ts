import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { accept, startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

/** Long enough for a response on a busy machine. */
const SHORT = { webhooks: { ...FAST.webhooks, timeoutMs: 1500 } };

onFakeNode(
  'a bad receiver',
  ({ client, execute }) => {
    const receiver = startReceiver();

    /** Sends a test event, and returns the status of its delivery with its attempt. */
    async function logOf(url: string): Promise<Json> {
      const { id } = await client.post('/v1/webhooks', { url });
      const sent = await client.post(`/v1/webhooks/${id}/test`);
      const read = () => client.get(`/v1/webhooks/${id}/deliveries/${sent.id}`);
      await expect.poll(async () => (await read()).ended_at).not.toBe(null);
      const delivery = await read();
      expect(delivery.attempts).toBe(1);
      await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
      return { status: delivery.status, ...delivery.log[0] };
    }

    it('that redirects, hangs or closes the connection is a failed attempt with the cause', async () => {
      receiver.respond = (_received, response) => response.writeHead(302, { location: receiver.url('/elsewhere') }).end();
      expect(await logOf(receiver.url())).toMatchObject({ status: 'dead', status_code: 302, error: expect.stringContaining('Redirects') });
      expect(receiver.received.map(({ path }) => path)).not.toContain('/elsewhere');
      receiver.respond = () => undefined;
      expect(await logOf(receiver.url())).toMatchObject({ status: 'dead', status_code: null, error: 'No response within 1.5 seconds.' });
      receiver.respond = (_received, response) => response.destroy();
      expect(await logOf(receiver.url())).toMatchObject({
        status: 'dead',
        status_code: null,
        error: expect.stringContaining('could not be reached'),
      });
    });

    it('that responds with 100 MB, or drips, costs 1 kB', async () => {
      let written = 0;
      receiver.respond = (_received, response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(64 * 1024, 'x');
        const write = () => {
          while (written < 100_000_000 && !response.destroyed) {
            written += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', write);
          }
        };
        write();
      };
      const { status, response } = await logOf(receiver.url());
      expect({ status, length: response.length }).toEqual({ status: 'delivered', length: 1024 });
      expect(written).toBeLessThan(20_000_000);
      receiver.respond = (_received, response) => {
        response.writeHead(500).write('a\u0000');
      };
      expect(await logOf(receiver.url())).toMatchObject({ status: 'dead', status_code: 500, response: 'a\ufffd' });
    });

    it('with an invalid certificate, a private address, or an unknown name gets nothing', async () => {
      const file = (name: string) => readFileSync(new URL(`../outbound/fixtures/${name}`, import.meta.url));
      const requests: string[] = [];
      const server = createTls(
        { key: file('server.key'), cert: file('self-signed.pem') },
        (request) => void requests.push(request.url ?? ''),
      ).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const failed = { status: 'dead', status_code: null, error: expect.stringContaining('could not be reached') };
      expect(await logOf(`https://127.0.0.1:${port}/secret`)).toMatchObject(failed);
      expect(requests).toEqual([]);
      server.close();
      expect(await logOf('https://hook.invalid/')).toMatchObject(failed);
      const { id } = await client.post('/v1/webhooks', { url: 'https://hook.invalid/' });
      await execute('UPDATE webhook SET url = $2 WHERE id = $1', id, 'https://10.0.0.1/');
      const sent = await client.post(`/v1/webhooks/${id}/test`);
      await expect
        .poll(async () => (await client.get(`/v1/webhooks/${id}/deliveries/${sent.id}`)).log[0])
        .toMatchObject({
          status_code: null,
          error: 'The service at 10.0.0.1 could not be reached or gave no valid response.',
        });
    });

    it('is refused at creation where its URL shows it', async () => {
      const refused = async (url: string) => {
        const { status, body } = await client.request('POST', '/v1/webhooks', { key: client.secretKey, json: { url } });
        expect({ status, type: body.type }).toEqual({ status: 400, type: 'validation_failed' });
        return body.message;
      };
      expect(await refused('https://10.0.0.1/hook')).toContain('public address');
      expect(await refused('https://[::1]/hook')).toContain('public address');
      expect(await refused('https://localhost/hook')).toContain('public address');
      expect(await refused('https://user:sesame@shop.example/')).not.toContain('sesame');
      expect(await refused('ftp://shop.example/')).toContain('https://');
      expect(await refused('nonsense')).toContain('`url`');
    });

    it('W2: that hangs delays no payment, and no other endpoint', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const open = new Set<string>();
      receiver.respond = (received, response) => {
        if (received.path === '/hangs') open.add(received.event.id);
        else accept(received, response);
      };
      const hanging = await client.post('/v1/webhooks', { url: receiver.url('/hangs') });
      await client.post('/v1/webhooks', { url: receiver.url('/fine') });
      await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 1 });
      await expect.poll(() => open.size).toBeGreaterThan(0);
      for (let i = 0; i < 50; i += 1) await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 1 });
      await expect.poll(() => receiver.accepted('/fine').length).toBe(2 * 51);
      expect((await client.get(`/v1/webhooks/${hanging.id}`)).last_success_at).toBe(null);
      expect((await client.get(`/v1/wallet/${b.id}`)).balance).toBe(51);
    });
  },
  LOCAL,
  SHORT,
);
