import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

const COUNT = 450;

onFakeNode('pages of large items', (service) => {
  it('rejects a numbered page that is too large, and ends a page by cursor early, without losing an item', async () => {
    const { client } = service;
    const [from, to] = [await client.wallet(COUNT), await client.wallet()];
    const passThru = { text: 'p'.repeat(4000), lnPayParams: {} };
    for (let done = 0; done < COUNT; done += 50) {
      await Promise.all(
        Array.from({ length: 50 }, () =>
          client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1, memo: 'm'.repeat(600), passThru }),
        ),
      );
    }
    const request = (query: string) => client.request('GET', `/v1/wallet/${to.id}/transactions?${query}`, { key: client.secretKey });
    for (const query of ['per-page=500', 'page=1&per-page=450', 'per-page=500&status=all']) {
      const { status, body } = await request(query);
      expect({ status, type: body.type }).toEqual({ status: 400, type: 'validation_failed' });
      const fitting = Number(/at most (\d+)/.exec(body.message)?.[1]);
      expect(fitting).toBeGreaterThan(200);
      expect((await request(query.replace(/per-page=\d+/, `per-page=${fitting}`))).status).toBe(200);
    }
    for (const filter of ['', '&status=all']) {
      const ids: string[] = (await request(`per-page=1${filter}`)).body.map(({ id }: { id: string }) => id);
      let pages = 0;
      for (let next: string | undefined = `after=${ids[0]}&per-page=500${filter}`; next !== undefined; pages++) {
        const { status, headers, body, text } = await request(next);
        expect(status).toBe(200);
        expect(text.length).toBeLessThan(2_500_000);
        ids.push(...body.map(({ id }: { id: string }) => id));
        next = /<\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      }
      expect(pages).toBeGreaterThan(1);
      expect(ids).toHaveLength(COUNT);
      expect(new Set(ids).size).toBe(COUNT);
    }
    expect((await request('')).body).toHaveLength(50);
    expect(await service.problems()).toEqual([]);
  });

  it('returns lists to other clients after some have disconnected before theirs was ready', async () => {
    const { client } = service;
    const { id } = await client.wallet(1);
    const { hostname, port } = new URL(client.url);
    const head = `GET /v1/wallet/${id}/transactions?per-page=500 HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${client.secretKey}\r\n\r\n`;
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      // There are several on each connection, so that some wait for their turn when it closes.
      await new Promise((resolve) => socket.write(head.repeat(5), resolve));
      socket.resetAndDestroy();
    }
    expect((await client.request('GET', `/v1/wallet/${id}/transactions?per-page=500`, { key: client.secretKey })).body).toHaveLength(1);
  });
});
