import { beforeAll, expect, it } from 'vitest';
import {
  createClient,
  type ErrorType,
  pages,
  type SatchelClient,
  SatchelError,
  type Wallet,
  waitForSettlement,
} from '../../client/satchel.js';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the generated client', (service) => {
  let satchel: SatchelClient;
  beforeAll(() => {
    satchel = createClient({ url: `${service.client.url}/`, key: service.client.secretKey });
  });

  async function fundedWallet(): Promise<Wallet> {
    const { id } = await satchel.createWallet({ user_label: 'alma' });
    await satchel.playgroundFund({ wallet_id: id, num_satoshis: 5_000 });
    return satchel.getWallet({ key: id });
  }

  it('creates a wallet, receives, pays, transfers and lists', async () => {
    const wallet = await fundedWallet();
    expect(wallet.balance).toBe(5_000);

    const invoice = await satchel.createInvoice({ key: wallet.id, num_satoshis: 1_200, memo: 'tea', passThru: { order: 17 } });
    await satchel.playgroundPay({ payment_request: invoice.payment_request, from: 'carol' });
    expect(await satchel.getLightningTransaction({ id: invoice.id })).toMatchObject({ settled: 1, passThru: { order: 17 } });

    const { payment_request } = await satchel.playgroundInvoice({ num_satoshis: 1_000 });
    const paid = await satchel.withdraw({ key: wallet.id, payment_request, fee_limit_msat: 10_000 });
    expect(paid).toMatchObject({ status: 'settled', num_satoshis: -1_000 });

    const other = await satchel.createWallet();
    const moved = await satchel.transfer({ key: wallet.id, dest_wallet_id: other.id, num_satoshis: 500, memo: 'rent' });
    expect(moved.wtx_transfer_in.wal.balance).toBe(500);

    const history = await satchel.listWalletTransactions({ key: wallet.id, 'per-page': 2 });
    expect(history.map(({ wtxType }) => wtxType.name)[0]).toBe('ln_transfer_out');
    const [, last] = history;
    const older = await satchel.listWalletTransactions({ key: wallet.id, after: last?.id ?? '', 'per-page': 2 });
    expect(new Set([...history, ...older].map(({ id }) => id)).size).toBe(4);

    const search = { key: wallet.id, pass_through: { order: '17' }, label: 'TEA' };
    expect(await satchel.listWalletTransactions(search)).toMatchObject([{ num_satoshis: 1_200, passThru: { order: 17 } }]);
    expect(await satchel.getStatement({ key: wallet.id })).toMatch(/^time,id,type,/);
    let total: string | null = null;
    const wallets = await satchel.listWallets(
      { fields: 'id' },
      { onResponse: ({ headers }) => (total = headers.get('x-pagination-total-count')) },
    );
    expect(wallets.length).toBe(Number(total));
    expect(wallets).toContainEqual({ id: other.id });
  });

  it('types the fields of a selected part as optional', async () => {
    const { id } = await satchel.createWallet({ user_label: 'alma' });
    const part = await satchel.getWallet({ key: id, fields: 'balance,statusType.name' });
    const balance: number | undefined = part.balance;
    expect({ balance, status: part.statusType?.name, id: part.id }).toEqual({ balance: 0, status: 'active', id: undefined });
    // @ts-expect-error the part may lack the field
    const label: string = part.user_label;
    expect(label).toBeUndefined();
  });

  it('waits for the settlement of an invoice, and returns an open one at the timeout', async () => {
    const wallet = await fundedWallet();
    const invoice = await satchel.createInvoice({ key: wallet.id, num_satoshis: 10 });
    expect(await waitForSettlement(satchel, invoice.id, { timeoutMs: 30, intervalMs: 10 })).toMatchObject({ status: 'pending' });
    const waiting = waitForSettlement(satchel, invoice.id, { intervalMs: 10 });
    await satchel.playgroundPay({ payment_request: invoice.payment_request });
    expect(await waiting).toMatchObject({ status: 'settled', settled: 1 });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(waitForSettlement(satchel, invoice.id, { signal })).rejects.toThrow('stopped');
  });

  it('yields every page of a list, with a cursor and with page numbers', async () => {
    const wallet = await fundedWallet();
    const other = await satchel.createWallet();
    for (let i = 0; i < 4; i++) await satchel.transfer({ key: wallet.id, dest_wallet_id: other.id, num_satoshis: 1 });
    const found: string[] = [];
    for await (const page of pages(satchel, 'listWalletTransactions', { key: wallet.id, 'per-page': 2 })) {
      expect(page.length).toBeLessThanOrEqual(2);
      found.push(...page.map(({ id }) => id));
    }
    expect(new Set(found).size).toBe(5);
    const kinds: string[] = [];
    for await (const page of pages(satchel, 'listWalletKeys', { key: wallet.id, 'per-page': 3 }))
      kinds.push(...page.map(({ kind }) => kind));
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
    for await (const page of pages(paged, 'listEvents', { type: 'wallet_send', 'per-page': 1 })) found.push(...page.map(({ id }) => id));
    expect(found).toEqual(['evt_20', 'evt_30']);
    expect(requested).toEqual([null, 'evt_2', 'evt_3']);
  });

  it('throws the error of the service, with its type', async () => {
    const { id } = await satchel.createWallet();
    const { payment_request } = await satchel.playgroundInvoice({ num_satoshis: 1_000 });
    const refused = await refusal(satchel.withdraw({ key: id, payment_request }));
    const type: ErrorType = refused.type;
    expect(type).toBe('insufficient_balance' satisfies ErrorType);
    expect(refused).toMatchObject({ name: 'SatchelError', status: 400, requestId: expect.stringMatching(/\w/) });

    const stranger = createClient({ url: service.client.url, key: 'sak_unknown' });
    expect(await refusal(stranger.getWallet({ key: id }))).toMatchObject({ status: 401, type: 'unauthorized' });
    // @ts-expect-error an unknown field does not compile, and the service rejects it
    expect(await refusal(satchel.createWallet({ lable: 'x' }))).toMatchObject({ type: 'validation_failed' });
    // Values in a path cannot lead to another path.
    expect(await refusal(satchel.getWallet({ key: `${id}/transactions` }))).toMatchObject({ type: 'not_found' });
  });

  it('distinguishes a payment that failed permanently from one with an unknown outcome', async () => {
    const wallet = await fundedWallet();
    const failing = await satchel.playgroundInvoice({ num_satoshis: 100, memo: 'fail=NO_ROUTE' });
    const refused = await refusal(satchel.withdraw({ key: wallet.id, payment_request: failing.payment_request }));
    expect(refused).toMatchObject({ type: 'payment_failed', walletTransactionId: expect.stringMatching(/^wtx_/) });

    const held = await satchel.playgroundInvoice({ num_satoshis: 100, hold: true });
    const options = { headers: { prefer: 'respond-async' } };
    const open = await satchel.withdraw({ key: wallet.id, payment_request: held.payment_request }, options);
    expect(open).toMatchObject({ status: 'pending', lnTx: { settled: 0 } });
    expect((await satchel.getWallet({ key: wallet.id })).pending_msat).toBeGreaterThanOrEqual(100_000);
  });

  it('repeats a request under its idempotency key without a second effect', async () => {
    const wallet = await fundedWallet();
    const other = await satchel.createWallet();
    const move = () =>
      satchel.transfer({ key: wallet.id, dest_wallet_id: other.id, num_satoshis: 500 }, { idempotencyKey: `move-${wallet.id}` });
    const [first, second] = [await move(), await move()];
    expect(second.wtx_transfer_out.id).toBe(first.wtx_transfer_out.id);
    expect((await satchel.getWallet({ key: other.id })).balance).toBe(500);
  });

  it('does not send its key to public addresses, and throws their errors', async () => {
    const wallet = await fundedWallet();
    const link = await satchel.createWithdrawLink({ key: wallet.id, num_satoshis: 100 });
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
    expect(await watching.processWithdrawLink({ key, ott: link.ott })).toMatchObject({ tag: 'withdrawRequest', maxWithdrawable: 100_000 });
    expect(await watching.processWithdrawLink({ key, ott: 'another' })).toMatchObject({ status: 'ERROR' });
    await watching.getWallet({ key: wallet.id });
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
