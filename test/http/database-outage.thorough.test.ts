import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { METADATA_HASH, RemoteService } from '../lnurl/payee.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

/** The operations that book something, as the path and body of a POST with the wallet's admin key. */
interface Operation {
  readonly name: string;
  prepare(service: FakeNodeApp, wallet: TestWallet): Promise<[path: string, json: object]>;
}

const payee = RemoteService.ofSuite();

const OPERATIONS: readonly Operation[] = [
  {
    name: 'a transfer',
    prepare: async (service) => ['transfer', { dest_wallet_id: (await service.client.wallet()).id, num_satoshis: 10 }],
  },
  {
    name: 'a bulk transfer of one line',
    prepare: async (service) => ['transfers', { lines: [{ dest_wallet_id: (await service.client.wallet()).id, num_satoshis: 10 }] }],
  },
  {
    name: 'a payment over the network',
    prepare: async ({ net }) => ['withdraw', { payment_request: net.outside.invoice({ amountMsat: 10_000 }).paymentRequest }],
  },
  {
    name: 'a payment to a wallet of the service',
    async prepare({ client }) {
      const payee = await client.wallet();
      const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 10 });
      return ['withdraw', { payment_request }];
    },
  },
  {
    name: 'a payment of a Lightning address',
    async prepare({ net }) {
      payee.parameters = () => payee.payParameters();
      payee.callback = (query) => {
        const order = { amountMsat: Number(query.get('amount')), descriptionHash: METADATA_HASH };
        return { pr: net.outside.invoice(order).paymentRequest };
      };
      return ['lnurlp/pay', { ln_address: payee.address, amt_msat: 10_000 }];
    },
  },
  {
    name: 'a withdrawal from a link of another service',
    async prepare() {
      const limits = { minWithdrawable: 1000, maxWithdrawable: 1_000_000 };
      payee.parameters = () => ({ tag: 'withdrawRequest', callback: `${payee.url}/cb`, k1: 'k1', defaultDescription: 'gift', ...limits });
      payee.callback = () => ({ status: 'OK' });
      return ['lnurl/pull', { lnurl: payee.lnurl, num_satoshis: 10 }];
    },
  },
  {
    name: 'a keysend',
    async prepare({ client }) {
      const { nodes } = await client.get('/playground');
      return ['keysend', { dest_pubkey: nodes.find(({ name }: Json) => name === 'alice').pubkey, num_satoshis: 10 }];
    },
  },
];

const COUNT_BOOKED = `SELECT (SELECT count(*) FROM payment WHERE wallet_id = $1) + (SELECT count(*) FROM ledger_transfer
  WHERE from_type = 'ln_transfer_out' AND from_account = (SELECT ledger_account FROM wallet WHERE id = $1))
  + (SELECT count(*) FROM invoice WHERE wallet_id = $1 AND pass_thru LIKE '%lnurl_domain%') AS n`;

async function bookedBy(service: FakeNodeApp, wallet: TestWallet): Promise<number> {
  return Number((await service.rows(COUNT_BOOKED, wallet.id))[0]?.n);
}

const sender =
  (service: FakeNodeApp, wallet: TestWallet, path: string, json: object) =>
  (key: string): Promise<HttpResponse> =>
    service.client.request('POST', `/v1/wallet/${wallet.admin}/${path}`, { key: wallet.admin, json, headers: { 'idempotency-key': key } });

/** Statements of background jobs, which may run at the same time. */
const BACKGROUND = /^(lease_|instance_|reconcile_|fact_|retention_|alert_|key_use_)/;

/** Returns the statements and commits of an operation, with repetitions. */
async function statementsOf(service: FakeNodeApp, operation: Operation): Promise<Map<string, number>> {
  const wallet = await service.client.wallet(100);
  const send = sender(service, wallet, ...(await operation.prepare(service, wallet)));
  service.statements = [];
  await send(randomUUID());
  const counts = new Map([['COMMIT', 1]]);
  for (const name of service.statements) if (!BACKGROUND.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  service.statements = undefined;
  return counts;
}

const SETTINGS = { PAYMENT_WAIT_SECONDS: '1', PROOF_INTERVAL_SECONDS: '0', OUTBOUND_ALLOW: '127.0.0.1' };

onFakeNode(
  'an outage of the database',
  (service, dialect) => {
    afterEach(() => {
      service.connectionFailsAt = undefined;
      service.statements = undefined;
    });

    describe.each(OPERATIONS)('during $name', (operation) => {
      it('P2: is 503 only when nothing was booked, and a retry books the request once', async () => {
        const statuses = new Map<number, number>();
        for (const [name, times] of await statementsOf(service, operation)) {
          // A payment is read repeatedly until it ends.
          for (let time = 1; time <= Math.min(times, 3); time++) {
            const wallet = await service.client.wallet(100);
            const send = sender(service, wallet, ...(await operation.prepare(service, wallet)));
            const key = randomUUID();
            let seen = 0;
            service.connectionFailsAt = (statement) => statement === name && ++seen >= time;
            const response = await send(key);
            service.connectionFailsAt = undefined;
            const at = `${name} (${time}): ${response.text}`;
            statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
            if (response.status === 503) {
              expect(response.body, at).toMatchObject({ type: 'database_unavailable' });
              expect(response.headers.get('retry-after')).toBe('1');
              expect(await bookedBy(service, wallet), at).toBe(0);
            } else {
              expect([201, 202], at).toContain(response.status);
              expect(await bookedBy(service, wallet), at).toBe(1);
            }
            const again = await send(key);
            expect([201, 202], `${at}, then ${again.text}`).toContain(again.status);
            expect(await bookedBy(service, wallet), at).toBe(1);
          }
        }
        expect([...statuses.keys()]).toContain(503);
        expect(await service.problems()).toEqual([]);
      });

      it('returns no 503 when an earlier request with the same Idempotency-Key has booked it', async () => {
        const wallet = await service.client.wallet(100);
        const send = sender(service, wallet, ...(await operation.prepare(service, wallet)));
        const key = randomUUID();
        await send(key);
        service.statements = [];
        await send(key);
        const replay = service.statements;
        service.statements = undefined;
        const afterLookup = new Set(replay.slice(replay.indexOf('idempotency_find') + 1).filter((name) => !BACKGROUND.test(name)));
        const statuses = new Set<number>();
        for (const name of afterLookup) {
          service.connectionFailsAt = (statement) => statement === name;
          statuses.add((await send(key)).status);
          service.connectionFailsAt = undefined;
        }
        // Some of the statements belong to the end of the payment, which may come at any time. Without them the replay succeeds.
        expect(statuses).toContain(500);
        expect([...statuses].filter((status) => ![201, 202, 500].includes(status))).toEqual([]);
        service.connectionFailsAt = (statement) => statement === 'idempotency_find';
        const unknown = await send(key);
        service.connectionFailsAt = undefined;
        expect(unknown).toMatchObject({ status: 503, body: { type: 'database_unavailable' } });
        expect(unknown.body.message).toContain('an earlier one with the same Idempotency-Key may have');
        expect(await bookedBy(service, wallet)).toBe(1);
      });
    });

    it('is reported by /readyz until a write succeeds again', async () => {
      const readiness = async () => (await service.client.request('GET', '/readyz')).body;
      await expect.poll(readiness).toEqual({ status: 'ready', database: 'ok', node: 'ok', withdrawals: 'allowed' });
      const wallet = await service.client.wallet(100);
      const json = { dest_wallet_id: (await service.client.wallet()).id, num_satoshis: 1 };
      service.connectionFailsAt = (statement) => statement === 'COMMIT';
      const response = await service.client.request('POST', `/v1/wallet/${wallet.id}/transfer`, { key: wallet.admin, json });
      expect(response.status).toBe(503);
      expect(await readiness()).toEqual({ status: 'not ready', database: 'read_only', node: 'ok', withdrawals: 'allowed' });
      service.connectionFailsAt = undefined;
      await expect.poll(readiness).toEqual({ status: 'ready', database: 'ok', node: 'ok', withdrawals: 'allowed' });
    });

    it('returns 503 for a key that cannot be looked up', async () => {
      const wallet = await service.client.wallet(100);
      service.connectionFailsAt = () => true;
      const response = await service.client.request('GET', `/v1/wallet/${wallet.id}`, { key: wallet.read });
      service.connectionFailsAt = undefined;
      expect(response).toMatchObject({ status: 503, body: { type: 'database_unavailable' } });
      expect(response.body.message).toContain('booked nothing');
    });

    /** Sends transfers of 1 sat until one is not booked. @returns how many were booked */
    async function transferUntilRefused(from: TestWallet, to: TestWallet): Promise<{ booked: number; refused: HttpResponse }> {
      for (let booked = 0; ; booked++) {
        const json = { dest_wallet_id: to.id, num_satoshis: 1, memo: 'x'.repeat(500) };
        const response = await service.client.request('POST', `/v1/wallet/${from.id}/transfer`, { key: from.admin, json });
        if (response.status !== 201) return { booked, refused: response };
      }
    }

    if (dialect === 'sqlite') {
      it('P2: that is a full disk returns 503, loses nothing that was confirmed, and ends without a restart', async () => {
        const [from, to] = [await service.client.wallet(1000), await service.client.wallet()];
        // SQLite then cannot make the file larger.
        await service.execute('PRAGMA max_page_count = 1');
        const { booked, refused } = await transferUntilRefused(from, to);
        expect(refused).toMatchObject({ status: 503, body: { type: 'database_unavailable' } });
        expect((await service.client.get(`/v1/wallet/${to.id}`)).balance).toBe(booked);
        expect((await service.client.request('GET', '/readyz')).body).toMatchObject({ database: 'read_only' });
        await service.execute('PRAGMA max_page_count = 4294967294');
        await expect.poll(async () => (await service.client.request('GET', '/readyz')).status).toBe(200);
        await service.client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1 });
        expect((await service.client.get(`/v1/wallet/${to.id}`)).balance).toBe(booked + 1);
        expect(await service.problems()).toEqual([]);
      });
      return;
    }

    it('P2: that ends all connections and rejects new ones returns 503, and each confirmed transfer is booked', async () => {
      const [from, to] = [await service.client.wallet(10_000), await service.client.wallet()];
      const name = (await service.rows('SELECT current_database() AS name'))[0]?.name;
      const server = new pg.Client({ connectionString: inject('postgresUrl') });
      await server.connect();
      let confirmed = 0;
      const statuses = new Set<number>();
      let isOver = false;
      const load = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const json = { dest_wallet_id: to.id, num_satoshis: 1 };
          const { status } = await service.client.request('POST', `/v1/wallet/${from.id}/transfer`, { key: from.admin, json });
          statuses.add(status);
          if (status === 201) confirmed += 1;
        }
      });
      for (let outage = 0; outage < 3; outage++) {
        const before = confirmed;
        await expect.poll(() => confirmed).toBeGreaterThan(before);
        await server.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
        await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
        // Transfers whose COMMIT was interrupted wait until the database can return their outcome. Reads are rejected at once.
        await expect.poll(async () => (await service.client.request('GET', `/v1/wallet/${to.id}`, { key: to.read })).status).toBe(503);
        await server.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
        await expect.poll(async () => (await service.client.request('GET', '/readyz')).status).toBe(200);
      }
      isOver = true;
      await Promise.all(load);
      await server.end();
      expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
      expect((await service.client.get(`/v1/wallet/${to.id}`)).balance).toBe(confirmed);
      expect(await service.problems()).toEqual([]);
    });
  },
  SETTINGS,
);
