import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, HttpResponse, TestWallet } from '../support/client.ts';

const AMOUNT_SAT = 100;
/** Longer than a request may take before it is no longer executed after a refusal. */
const LATE_MS = 3100;

onFakeNode('a request with an Idempotency-Key that was refused', (app, dialect) => {
  const { net } = app;
  const balanceMsat = async ({ id }: TestWallet): Promise<number> => (await app.client.get(`/v1/wallet/${id}`)).balance_msat;

  /** The requests that move money: the last part of the path, and the body. */
  const WAYS: [string, () => Promise<object> | object][] = [
    ['withdraw', () => ({ payment_request: net.outside.invoice({ amountMsat: AMOUNT_SAT * 1000 }).paymentRequest, fee_limit_msat: 0 })],
    [
      'keysend',
      async () => {
        const { nodes } = await app.client.get('/playground');
        const [{ pubkey }] = nodes.filter(({ name }: { name: string }) => name === 'alice');
        return { dest_pubkey: pubkey, num_satoshis: AMOUNT_SAT, fee_limit_msat: 0 };
      },
    ],
    ['transfer', async () => ({ dest_wallet_id: (await app.client.wallet()).id, num_satoshis: AMOUNT_SAT })],
  ];

  /** Returns a function that sends one request to an instance, always with the same Idempotency-Key. */
  function requestOf(wallet: TestWallet, path: string, json: object) {
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    const send = (client: Client): Promise<HttpResponse> =>
      client.request('POST', `/v1/wallet/${wallet.id}/${path}`, { key: wallet.admin, json, headers });
    return Object.assign(send, { key });
  }

  it.each(WAYS)('is executed later, once, however often it was refused: %s', async (path, body) => {
    const wallet = await app.client.wallet();
    const send = requestOf(wallet, path, await body());
    for (let i = 0; i < 105; i += 1) expect((await send(app.client)).body.type).toBe('insufficient_balance');
    await app.client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1000 });
    const made = await send(app.client);
    expect(made.status).toBe(201);
    for (let i = 0; i < 3; i += 1)
      expect(await send(app.client)).toMatchObject({
        status: 201,
        headers: expect.toSatisfy((one: Headers) => one.has('idempotency-replayed')),
      });
    expect(await balanceMsat(wallet)).toBe(900_000);
    expect(await app.problems()).toEqual([]);
  });

  it.each(WAYS)('is executed once by many requests at the same time: %s', async (path, body) => {
    const wallet = await app.client.wallet();
    const send = requestOf(wallet, path, await body());
    const refused = await Promise.all(Array.from({ length: 10 }, () => send(app.client)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]));
    await app.client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1000 });
    const made = await Promise.all(Array.from({ length: 10 }, () => send(app.client)));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await balanceMsat(wallet)).toBe(900_000);
  });

  it('P8: is not executed by a request that was delayed until after the refusal, but when it is sent again', async () => {
    const wallet = await app.client.wallet();
    const json = { dest_wallet_id: (await app.client.wallet()).id, num_satoshis: AMOUNT_SAT };
    const send = requestOf(wallet, 'transfer', json);
    const delayed = startRequest(`${app.client.url}/v1/wallet/${wallet.id}/transfer`, {
      'x-api-key': wallet.admin,
      'content-type': 'application/json',
      'idempotency-key': send.key,
    });
    expect((await send(app.client)).body.type).toBe('insufficient_balance');
    await app.client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1000 });
    // The service has received the head of the delayed request before the other one.
    await pause(LATE_MS);
    expect(await delayed.finish(JSON.stringify(json))).toEqual({ status: 503, type: 'ledger_busy' });
    expect(await balanceMsat(wallet)).toBe(1_000_000);
    expect((await send(app.client)).status).toBe(201);
    expect(await balanceMsat(wallet)).toBe(900_000);
  });

  // SQLite has one instance.
  describe.skipIf(dialect === 'sqlite')('while another instance executes it', () => {
    const connections: pg.Client[] = [];
    afterAll(() => Promise.all(connections.map((one) => one.end())));
    let second: Promise<Client> | undefined;
    const other = () => (second ??= app.another());

    /** Locks the ledger account of a wallet, so that postings wait. */
    async function lockLedgerAccount({ id }: TestWallet): Promise<() => Promise<unknown>> {
      const connection = new pg.Client({ connectionString: app.databaseUrl });
      connections.push(connection);
      await connection.connect();
      await connection.query('BEGIN');
      const lock = 'SELECT 1 FROM ledger_account WHERE id = (SELECT ledger_account FROM wallet WHERE id = $1) FOR UPDATE';
      expect((await connection.query(lock, [id])).rowCount).toBe(1);
      return () => connection.query('ROLLBACK');
    }

    async function waitingStatements(): Promise<number> {
      const [row] = await app.rows(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return Number(row?.n);
    }

    /** Sends a request to one instance, whose posting waits before it locks anything. Returns its response, and a function that continues. */
    async function stall(send: (client: Client) => Promise<HttpResponse>) {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      app.delays = (name) => {
        if (!name.startsWith('access_key_valid')) return undefined;
        app.delays = undefined;
        reached.resolve();
        return released.promise;
      };
      const response = send(app.client);
      await reached.promise;
      return { response, release: released.resolve };
    }

    const setCap = ({ id }: TestWallet, msat: number | null) =>
      app.execute('UPDATE access_key SET max_payment_msat = $2 WHERE wallet_id = $1', id, msat);

    it.each(WAYS)('P8: moves no money after the refusal: %s', async (path, body) => {
      const wallet = await app.client.wallet(1000);
      const send = requestOf(wallet, path, await body());
      const first = await stall(send);
      await setCap(wallet, 1000);
      const refused = await send(await other());
      expect(refused).toMatchObject({ status: 400, body: { type: 'payment_cap_exceeded' } });
      first.release();
      // Its sender does not learn that nothing was paid, and may repeat the request.
      expect((await first.response).status).toBe(500);
      expect(await balanceMsat(wallet)).toBe(1_000_000);

      await setCap(wallet, null);
      const made = await send(app.client);
      expect(made.status).toBe(201);
      expect(await send(await other())).toMatchObject({ status: 201, body: idOf(path, made) });
      expect(await balanceMsat(wallet)).toBe(900_000);
      expect(await app.problems()).toEqual([]);
    });

    it.each(WAYS)('has the outcome of the first as its response, if that books before the refusal: %s', async (path, body) => {
      const wallet = await app.client.wallet(1000);
      const send = requestOf(wallet, path, await body());
      const release = await lockLedgerAccount(wallet);
      const first = send(app.client);
      await expect.poll(waitingStatements).toBe(1);
      // Before it waits for the account, the second has read that the request has no outcome.
      const again = send(await other());
      await expect.poll(waitingStatements).toBe(2);
      await release();
      const both = [await first, await again];
      expect(both.map(({ status }) => status)).toEqual([201, 201]);
      expect(both[1]?.body).toMatchObject(idOf(path, both[0] as HttpResponse));
      expect(await balanceMsat(wallet)).toBe(900_000);
    });

    it('P8: moves no money after refusals of two others, of which one had read the refusal of the other', async () => {
      const wallet = await app.client.wallet(1000);
      const [path, body] = WAYS[2] as (typeof WAYS)[number];
      const send = requestOf(wallet, path, await body());
      await setCap(wallet, 1000);
      expect((await send(await other())).status).toBe(400);
      await setCap(wallet, null);
      const first = await stall(send);
      await setCap(wallet, 1000);
      expect((await send(await other())).status).toBe(400);
      first.release();
      expect((await first.response).status).toBe(500);
      expect(await balanceMsat(wallet)).toBe(1_000_000);
    });
  });
});

/** Sends the head of a request, and later its body. */
function startRequest(url: string, headers: Record<string, string>) {
  const sent = request(url, { method: 'POST', headers });
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  return {
    async finish(body: string): Promise<{ status: number | undefined; type: string }> {
      sent.end(body);
      const [response] = await responded;
      const { type } = (await readJson(response)) as { type: string };
      return { status: response.statusCode, type };
    },
  };
}

/** The part of a response that identifies what was made. */
function idOf(path: string, { body }: HttpResponse): object {
  return path === 'transfer' ? { wtx_transfer_out: { id: body.wtx_transfer_out.id } } : { id: body.id };
}
