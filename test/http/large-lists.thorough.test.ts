import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { pick, readSelection } from '../../src/http/responses/select.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const SUBPATHS = Array.from({ length: 49 }, (_, i) => `passThru.field${i}`);

it('reads each object once, however many paths lead to it', () => {
  let reads = 0;
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field${i}`, i]));
  const row = {
    id: 'wtx_1',
    get passThru() {
      reads++;
      return fields;
    },
  };
  const picked = pick(row, readSelection([...SUBPATHS, ...SUBPATHS].join()));
  expect(reads).toBe(1);
  expect(Object.keys(picked.passThru as object)).toHaveLength(49);
  expect(pick(row, readSelection(`${SUBPATHS.join()},passThru,passThru.field1`))).toEqual({ passThru: fields });
  expect(JSON.stringify(picked).length).toBeLessThan(JSON.stringify(row).length);
});

onFakeNode(
  'pages of an account',
  (service) => {
    it('read as few statements for many wallets as for two', async () => {
      const { client } = service;
      const statementsOf = async (path: string) => {
        const noted: string[] = [];
        service.requestStatements = noted;
        expect(await client.get(path)).not.toHaveLength(0);
        service.requestStatements = undefined;
        return noted.filter((name) => /^(wallet_|ledger_read|payment_find|invoice_find|event_page)/.test(name)).sort();
      };
      const paths = ['/v1/wallet-transactions?per-page=50', '/v1/events?per-page=50&order=desc'];
      await client.wallet(1);
      const few = [];
      for (const path of paths) few.push(await statementsOf(path));
      expect(few.flat()).toContain('event_page_desc_of_account');
      for (let i = 0; i < 10; i++) await client.wallet(1);
      for (const [index, path] of paths.entries()) expect(await statementsOf(path)).toEqual(few[index]);
    });
  },
  {},
  { pollMs: 3_600_000 },
);

onFakeNode('large lists', (service) => {
  it('return the same as small ones, with and without fields', async () => {
    const { client } = service;
    const [wallet, other] = [await client.wallet(1000), await client.wallet()];
    const passThru = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, `ü ${i}`]));
    for (let i = 0; i < 32; i++) {
      await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 1, memo: `ü ${i}`, passThru });
    }
    for (const query of ['', '&status=all', `&fields=${SUBPATHS.join()}`, '&fields=id,wal.balance', '&fields=nothing']) {
      const path = `/v1/wallet/${wallet.id}/transactions`;
      const whole = await client.request('GET', `${path}?per-page=100${query}`, {
        key: client.secretKey,
        headers: { 'accept-encoding': 'identity' },
      });
      expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(whole.headers.get('content-length')).toBe(String(Buffer.byteLength(whole.text)));
      const parts: Json[] = [];
      for (let page = 1; page <= 6; page++) parts.push(...(await client.get(`${path}?per-page=10&page=${page}${query}`)));
      expect(whole.body).toHaveLength(32 + 1);
      expect(whole.body).toEqual(parts);
    }
    expect(await service.problems()).toEqual([]);
  });

  it('reach other clients after some have disconnected before theirs was ready', async () => {
    const { client } = service;
    const { id } = await client.wallet(1);
    const { hostname, port } = new URL(client.url);
    const head = `GET /v1/wallet/${id}/transactions HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${client.secretKey}\r\n\r\n`;
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      // There are several on each connection, so that some wait for their turn when it closes.
      await new Promise((resolve) => socket.write(head.repeat(5), resolve));
      socket.resetAndDestroy();
    }
    expect(await client.get(`/v1/wallet/${id}/transactions`)).toHaveLength(1);
  });
});
