import { beforeAll, describe, expect, it } from 'vitest';
import { createClient, type ErrorType, type SatchelClient, SatchelError, type Wallet } from '../../client/satchel.js';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the generated client', (service) => {
  let satchel: SatchelClient;
  beforeAll(() => {
    satchel = createClient({ url: `${service.client.url}/`, key: service.client.secretKey });
  });

  async function fundedWallet(): Promise<Wallet> {
    const { id } = await satchel.wallets.create({ user_label: 'alma' });
    await satchel.playground.fund({ wallet_id: id, num_satoshis: 5_000 });
    return satchel.wallets.get(id);
  }

  it('creates a wallet, receives, pays, transfers and lists', async () => {
    const wallet = await fundedWallet();
    expect(wallet.balance).toBe(5_000);

    const invoice = await satchel.invoices.create(wallet.id, { num_satoshis: 1_200, memo: 'tea', passThru: { order: 17 } });
    await satchel.playground.pay({ payment_request: invoice.payment_request, from: 'carol' });
    expect(await satchel.lightningTransactions.get(invoice.id)).toMatchObject({ settled: 1, passThru: { order: 17 } });

    const { payment_request } = await satchel.playground.createInvoice({ num_satoshis: 1_000 });
    const paid = await satchel.wallets.withdraw(wallet.id, { payment_request, fee_limit_msat: 10_000 });
    expect(paid).toMatchObject({ status: 'settled', num_satoshis: -1_000 });

    const other = await satchel.wallets.create();
    const moved = await satchel.wallets.transfer(wallet.id, { dest_wallet_id: other.id, num_satoshis: 500, memo: 'rent' });
    expect(moved.wtx_transfer_in.wal.balance).toBe(500);

    const history = await satchel.wallets.listTransactions(wallet.id, { 'per-page': 2 });
    expect(history.map(({ wtxType }) => wtxType.name)[0]).toBe('ln_transfer_out');
    const [, last] = history;
    const older = await satchel.wallets.listTransactions(wallet.id, { after: last?.id ?? '', 'per-page': 2 });
    expect(new Set([...history, ...older].map(({ id }) => id)).size).toBe(4);

    const search = { pass_through: { order: '17' }, label: 'TEA' };
    expect(await satchel.wallets.listTransactions(wallet.id, search)).toMatchObject([{ num_satoshis: 1_200, passThru: { order: 17 } }]);
    expect(await satchel.wallets.getStatement(wallet.id)).toMatch(/^time,id,type,/);
    let total: string | null = null;
    const wallets = await satchel.wallets.list(
      { fields: 'id' },
      { onResponse: ({ headers }) => (total = headers.get('x-pagination-total-count')) },
    );
    expect(wallets.length).toBe(Number(total));
    expect(wallets).toContainEqual({ id: other.id });
  });

  it('types the fields of a selected part as optional', async () => {
    const { id } = await satchel.wallets.create({ user_label: 'alma' });
    const part = await satchel.wallets.get(id, { fields: 'balance,statusType.name' });
    const balance: number | undefined = part.balance;
    expect({ balance, status: part.statusType?.name, id: part.id }).toEqual({ balance: 0, status: 'active', id: undefined });
    // @ts-expect-error the part may lack the field
    const label: string = part.user_label;
    expect(label).toBeUndefined();
  });

  it('waits for the settlement of an invoice, and returns an open one at the timeout', async () => {
    const wallet = await fundedWallet();
    const invoice = await satchel.invoices.create(wallet.id, { num_satoshis: 10 });
    expect(await satchel.lightningTransactions.wait(invoice.id, { timeoutSeconds: 0 })).toMatchObject({ status: 'open' });
    const waiting = satchel.lightningTransactions.wait(invoice.id);
    await satchel.playground.pay({ payment_request: invoice.payment_request });
    expect(await waiting).toMatchObject({ status: 'settled', settled: 1 });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(satchel.lightningTransactions.wait(invoice.id, { signal })).rejects.toThrow('stopped');
  });

  it('yields every page of a list, with a cursor and with page numbers', async () => {
    const wallet = await fundedWallet();
    const other = await satchel.wallets.create();
    for (let i = 0; i < 4; i++) await satchel.wallets.transfer(wallet.id, { dest_wallet_id: other.id, num_satoshis: 1 });
    const found: string[] = [];
    for await (const page of satchel.wallets.listTransactions(wallet.id, { 'per-page': 2 }).pages()) {
      expect(page.length).toBeLessThanOrEqual(2);
      found.push(...page.map(({ id }) => id));
    }
    expect(new Set(found).size).toBe(5);
    const listed: string[] = [];
    for await (const { id } of satchel.wallets.listTransactions(wallet.id, { 'per-page': 2 })) listed.push(id);
    expect(listed).toEqual(found);
    const kinds: string[] = [];
    for await (const page of satchel.wallets.listKeys(wallet.id, { 'per-page': 3 }).pages()) kinds.push(...page.map(({ kind }) => kind));
    expect(new Set(kinds).size).toBe(5);
  });

  it('follows the link of a page that is empty before the end of a list', async () => {
    const requested: (string | null)[] = [];
    const paged = createClient({
      url: 'http://satchel.example',
      key: 'sak_1',
      async fetch(address) {
        const after = new URL(String(address)).searchParams.get('after');
        requested.push(after);
        const link = after === 'evt_3' ? '' : `<?type=wallet_send&after=${after === null ? 'evt_2' : 'evt_3'}&per-page=1>; rel="next"`;
        return Response.json(after === null ? [] : [{ id: `${after}0` }], { headers: { link } });
      },
    });
    const found: string[] = [];
    for await (const page of paged.events.list({ type: 'wallet_send', 'per-page': 1 }).pages()) found.push(...page.map(({ id }) => id));
    expect(found).toEqual(['evt_20', 'evt_30']);
    expect(requested).toEqual([null, 'evt_2', 'evt_3']);
  });

  it('throws the error of the service, with its type', async () => {
    const { id } = await satchel.wallets.create();
    const { payment_request } = await satchel.playground.createInvoice({ num_satoshis: 1_000 });
    const refused = await refusal(satchel.wallets.withdraw(id, { payment_request }));
    const type: ErrorType = refused.type;
    expect(type).toBe('insufficient_balance' satisfies ErrorType);
    expect(refused).toMatchObject({ name: 'SatchelError', status: 400, requestId: expect.stringMatching(/\w/) });

    const stranger = createClient({ url: service.client.url, key: 'sak_unknown' });
    expect(await refusal(stranger.wallets.get(id))).toMatchObject({ status: 401, type: 'unauthorized' });
    // @ts-expect-error an unknown field does not compile, and the service rejects it
    expect(await refusal(satchel.wallets.create({ lable: 'x' }))).toMatchObject({ type: 'validation_failed' });
    // Values in a path cannot lead to another path.
    expect(await refusal(satchel.wallets.get(`${id}/transactions`))).toMatchObject({ type: 'not_found' });
  });

  it('distinguishes a payment that failed permanently from one with an unknown outcome', async () => {
    const wallet = await fundedWallet();
    const failing = await satchel.playground.createInvoice({ num_satoshis: 100, memo: 'fail=NO_ROUTE' });
    const refused = await refusal(satchel.wallets.withdraw(wallet.id, { payment_request: failing.payment_request }));
    expect(refused).toMatchObject({ type: 'payment_failed', walletTransactionId: expect.stringMatching(/^wtx_/) });

    const held = await satchel.playground.createInvoice({ num_satoshis: 100, hold: true });
    const options = { headers: { prefer: 'respond-async' } };
    const open = await satchel.wallets.withdraw(wallet.id, { payment_request: held.payment_request }, options);
    expect(open).toMatchObject({ status: 'pending', lnTx: { settled: 0 } });
    expect((await satchel.wallets.get(wallet.id)).pending_msat).toBeGreaterThanOrEqual(100_000);
  });

  it('repeats a request under its idempotency key without a second effect', async () => {
    const wallet = await fundedWallet();
    const other = await satchel.wallets.create();
    const move = () =>
      satchel.wallets.transfer(wallet.id, { dest_wallet_id: other.id, num_satoshis: 500 }, { idempotencyKey: `move-${wallet.id}` });
    const [first, second] = [await move(), await move()];
    expect(second.wtx_transfer_out.id).toBe(first.wtx_transfer_out.id);
    expect((await satchel.wallets.get(other.id)).balance).toBe(500);
  });

  it('does not send its key to public addresses, and throws their errors', async () => {
    const wallet = await fundedWallet();
    const link = await satchel.withdrawLinks.create(wallet.id, { num_satoshis: 100 });
    const key = new URL(link.url).pathname.split('/').find((part) => part.startsWith('waklw_')) ?? '';
    const sent: (string | undefined)[] = [];
    const watching = createClient({
      url: service.client.url,
      key: service.client.secretKey,
      fetch: (address, init) => {
        sent.push(new Headers(init?.headers).get('x-api-key') ?? undefined);
        return fetch(address, init);
      },
    });
    expect(await watching.withdrawLinks.process(key, { ott: link.ott })).toMatchObject({
      tag: 'withdrawRequest',
      maxWithdrawable: 100_000,
    });
    expect(await watching.withdrawLinks.process(key, { ott: 'another' })).toMatchObject({ status: 'ERROR' });
    await watching.wallets.get(wallet.id);
    expect(sent).toEqual([undefined, undefined, service.client.secretKey]);
  });
});

async function refusal(work: Promise<unknown>): Promise<SatchelError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SatchelError) return error;
  throw new Error('it was not refused', { cause: error });
}

/** A client whose requests get these responses in turn: a status, or an error of the connection. */
function scripted(...script: (number | Error)[]) {
  const requests: { readonly method: string; readonly idempotencyKey: string | undefined }[] = [];
  const client = createClient({
    url: 'http://satchel.example',
    key: 'sak_1',
    async fetch(_address, { method = 'GET', headers }) {
      requests.push({ method, idempotencyKey: headers['idempotency-key'] });
      const next = script[Math.min(requests.length, script.length) - 1] ?? 200;
      if (next instanceof Error) throw next;
      return Response.json(next < 300 ? { id: 'wal_1' } : { type: 'internal_error', message: 'no' }, {
        status: next,
        headers: { 'retry-after': '0' },
      });
    },
  });
  return { client, requests };
}

describe('a request of the client that fails', () => {
  const lost = new Error('fetch failed');

  it('is repeated twice, with the same Idempotency-Key', async () => {
    const { client, requests } = scripted(lost, 500, 200);
    await client.wallets.create();
    expect(requests).toHaveLength(3);
    expect(requests[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    await client.wallets.create();
    expect(requests[3]?.idempotencyKey).not.toBe(requests[0]?.idempotencyKey);
  });

  it('keeps the Idempotency-Key of its caller, and has one without repetitions too', async () => {
    const { client, requests } = scripted(503, 200);
    await client.wallets.create({}, { idempotencyKey: 'mine' });
    await client.wallets.create({}, { maxRetries: 0 });
    expect(requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['mine', 'mine', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it.each<[string, (client: SatchelClient) => Promise<unknown>, number | Error, number]>([
    ['a read after a lost connection', (client) => client.wallets.get('wal_1'), lost, 3],
    ['a read after a 429', (client) => client.wallets.get('wal_1'), 429, 3],
    ['a read after a 404', (client) => client.wallets.get('wal_1'), 404, 1],
    ['a payment after a 400', (client) => client.wallets.withdraw('wal_1', { payment_request: 'lnbc' }), 400, 1],
    ['a deletion after a lost connection', (client) => client.webhooks.delete('wh_1'), lost, 1],
    ['a deletion after a 500', (client) => client.webhooks.delete('wh_1'), 500, 1],
    ['a deletion after a 503', (client) => client.webhooks.delete('wh_1'), 503, 3],
    ['a GET that claims a link', (client) => client.withdrawLinks.process('waklw_1', { k1: '1', pr: 'lnbc' }), lost, 1],
  ])('%s: is thrown', async (_what, request, failure, attempts) => {
    const { client, requests } = scripted(failure);
    await expect(request(client)).rejects.toThrow();
    expect(requests).toHaveLength(attempts);
  });

  it('reports only its last response', async () => {
    const { client } = scripted(500, 200);
    const statuses: number[] = [];
    await client.wallets.get('wal_1', {}, { onResponse: ({ status }) => statuses.push(status) });
    expect(statuses).toEqual([200]);
  });

  it('ends at its timeout, and at once when its signal aborts', async () => {
    let attempts = 0;
    const silent = createClient({
      url: 'http://satchel.example',
      fetch: (_address, { signal }) => {
        attempts += 1;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    await expect(silent.service.getHealth({}, { timeoutMs: 1, maxRetries: 1 })).rejects.toMatchObject({
      name: 'ConnectionError',
      cause: { name: 'TimeoutError' },
    });
    expect(attempts).toBe(2);
    const stop = new AbortController();
    const stopped = silent.service.getHealth({}, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    expect(attempts).toBe(3);
  });
});
