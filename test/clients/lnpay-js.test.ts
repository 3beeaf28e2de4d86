import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

const DIST = join(import.meta.dirname, '..', '..', 'node_modules', 'lnpay-js', 'dist');

type Told = (answer: Json) => void;

interface LNPayWallet {
  getInfo(told: Told): void;
  getTransactions(query: object, told: Told): void;
  createInvoice(fields: object, told: Told): void;
  payInvoice(fields: object, told: Told): void;
  internalTransfer(fields: object, told: Told): void;
  getLnurl(fields: object, told: Told): void;
}

/** The globals that its script makes in a page. */
interface Page {
  readonly LNPay: { Initialize(key: string): void; endpointUrl: string; createWallet(fields: object, told: Told): void };
  readonly LNPayWallet: new (accessKey: string) => LNPayWallet;
  readonly LNPayLnTx: new (id: string) => { getInfo(told: Told): void };
}

/** Loads the script as a browser does: `window` is the global object. */
function load(file: string, endpointUrl: string, key: string): Page {
  const failed = (...what: unknown[]) => {
    throw new Error(`lnpay-js gave up: ${what.join(' ')}`);
  };
  const window: Record<string, unknown> = { console: { log: failed }, fetch };
  window.window = window;
  runInContext(readFileSync(join(DIST, file), 'utf8'), createContext(window));
  const page = window as unknown as Page;
  page.LNPay.Initialize(key);
  page.LNPay.endpointUrl = endpointUrl;
  return page;
}

const answer = (call: (told: Told) => void) => new Promise<Json>((resolve) => call(resolve));

onFakeNode('the script lnpay-js works when only its endpointUrl changes', ({ client }) => {
  let wallet: TestWallet;
  let other: TestWallet;

  beforeAll(async () => {
    [wallet, other] = [await client.wallet(20_000), await client.wallet()];
  });

  const open = (file: string, key: string) => load(file, `${client.url}/v1/`, key);

  it.each(['lnpay.js', 'lnpay.min.js'])('with %s in a page that has the public key and the wallet’s admin key', async (file) => {
    const { LNPayWallet, LNPayLnTx } = open(file, client.publicKey);
    const mine = new LNPayWallet(wallet.admin);
    const info = await answer((told) => mine.getInfo(told));
    expect(info).toMatchObject({ id: wallet.id, user_label: 'test', statusType: { name: 'active' } });

    const invoice = await answer((told) => mine.createInvoice({ num_satoshis: 20, memo: 'Tester' }, told));
    expect(invoice).toMatchObject({ num_satoshis: 20, memo: 'Tester', settled: 0, payment_request: expect.stringMatching(/^ln/) });
    const lntx = new LNPayLnTx(invoice.id);
    expect(await answer((told) => lntx.getInfo(told))).toMatchObject({ settled: 0 });
    await client.post('/playground/pay', { payment_request: invoice.payment_request });
    expect(await answer((told) => lntx.getInfo(told))).toMatchObject({ id: invoice.id, settled: 1, num_satoshis: 20 });

    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 5 });
    const paid = await answer((told) => mine.payInvoice({ payment_request }, told));
    expect(paid).toMatchObject({ num_satoshis: -5, lnTx: { settled: 1 }, wal: { id: wallet.id } });

    const fields = { dest_wallet_id: other.id, num_satoshis: 3, memo: 'Transfer Memo' };
    const moved = await answer((told) => mine.internalTransfer(fields, told));
    expect(moved).toMatchObject({
      wtx_transfer_out: { num_satoshis: -3, user_label: 'Transfer Memo' },
      wtx_transfer_in: { num_satoshis: 3 },
    });

    const link = await answer((told) => mine.getLnurl({ num_satoshis: 12, memo: 'SatsBack!' }, told));
    expect(link).toMatchObject({ lnurl: expect.stringMatching(/^LNURL1/), num_satoshis: 12 });

    const rows = await answer((told) => mine.getTransactions({}, told));
    expect(rows.slice(0, 3).map((wtx: Json) => [wtx.num_satoshis, wtx.wtxType.name])).toEqual([
      [-3, 'ln_transfer_out'],
      [-5, 'ln_withdrawal'],
      [20, 'ln_deposit'],
    ]);
    expect(await answer((told) => mine.getInfo(told))).toMatchObject({ balance: info.balance + 12 });
  });

  it('a page’s callback gets errors as objects, and a public key makes no wallets (a deviation: it did once)', async () => {
    const { LNPay, LNPayWallet } = open('lnpay.js', client.publicKey);
    const reader = new LNPayWallet(wallet.read);
    expect(await answer((told) => reader.createInvoice({ num_satoshis: 1 }, told))).toMatchObject({
      status: 403,
      name: 'Forbidden',
      code: 0,
    });
    expect(await answer((told) => reader.payInvoice({ payment_request: '2' }, told))).toMatchObject({ status: 403 });
    expect(await answer((told) => LNPay.createWallet({ user_label: 'w' }, told))).toMatchObject({ status: 403, type: 'forbidden' });
    const secret = open('lnpay.js', client.secretKey).LNPay;
    const made = await answer((told) => secret.createWallet({ user_label: 'My wallet' }, told));
    expect(made).toMatchObject({ user_label: 'My wallet', access_keys: { 'Wallet Admin': [expect.stringMatching(/^waka_/)] } });
  });
});
