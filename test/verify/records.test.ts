import { beforeAll, expect, it, vi } from 'vitest';
import { newId } from '../../src/core/kernel/ids.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { verify } from '../../src/features/verify/verify.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { amount, ledgerWith, onBothDatabases, problemsOf } from '../support/ledger.ts';

/** Payments of a busy service by their outcome. */
interface Busy {
  readonly charged: string;
  readonly free: string;
  readonly failed: string;
  readonly corrected: string;
  readonly pending: string;
  /** An internal payment. */
  readonly inside: string;
  /** The payment hash of money that arrived for no wallet. */
  readonly unmatched: string;
}

const FEE_LINE = `(SELECT id FROM ledger_transfer WHERE from_type = 'network_fee'
  AND pass_thru LIKE '%' || (SELECT transfer_id FROM payment WHERE id = $1) || '%')`;
const ACCOUNT = '(SELECT ledger_account FROM payment WHERE id = $1)';

const STATE = 'its state does not match its hold';
const RESERVE = 'its hold is on another account, or holds less than the payment took';
const TRANSFER = 'its state does not match its transfer';
const AMOUNT = 'its transfer moved another amount, or belongs to another payment';
const FEE = 'its fee differs from its fee line';
const LINE = ': no payment owns this line';
const CREDIT = ': no invoice owns this credit';
const SHORTFALL = ': what the wallet lacked after a restore differs from what was booked';

// Changes that a person or a bug might make, the payment that they change ($1), and the problem that is reported.
const CHANGES: [what: string, sql: string, payment: keyof Busy, problem: string][] = [
  ['a fee that is more than was booked', 'UPDATE payment SET fee_msat = fee_msat + 1 WHERE id = $1', 'charged', FEE],
  ['a fee that was booked and is not said', 'UPDATE payment SET fee_msat = 0 WHERE id = $1', 'charged', FEE],
  ['a fee that is not said at all', 'UPDATE payment SET fee_msat = NULL WHERE id = $1', 'charged', FEE],
  ['a fee that was never booked', 'UPDATE payment SET fee_msat = 1 WHERE id = $1', 'free', FEE],
  ['another fee of a late success', 'UPDATE payment SET fee_msat = fee_msat - 1 WHERE id = $1', 'corrected', FEE],
  ['a fee line of another amount', `UPDATE ledger_transfer SET amount_msat = amount_msat + 1 WHERE id = ${FEE_LINE}`, 'charged', FEE],
  ['a fee line that is called otherwise', `UPDATE ledger_transfer SET from_type = 'service_fee' WHERE id = ${FEE_LINE}`, 'charged', FEE],
  ['a fee line that names nothing', `UPDATE ledger_transfer SET pass_thru = '{' WHERE id = ${FEE_LINE}`, 'charged', LINE],
  ['a payment of more than its transfer', 'UPDATE payment SET amount_msat = amount_msat + 1 WHERE id = $1', 'free', AMOUNT],
  ['a payment of less than its transfer', 'UPDATE payment SET amount_msat = amount_msat - 1 WHERE id = $1', 'corrected', AMOUNT],
  ['a payment by another wallet', `UPDATE payment SET ledger_account = ledger_account + 1 WHERE id = $1`, 'free', AMOUNT],
  ['a transfer that names another payment', `UPDATE ledger_transfer SET from_lntx = 'lntx_0' WHERE from_lntx = $1`, 'free', AMOUNT],
  ['a payment with another transfer', `UPDATE payment SET transfer_id = 'another' WHERE id = $1`, 'free', TRANSFER],
  ['a payment whose transfer nobody owns', `UPDATE payment SET transfer_id = 'another' WHERE id = $1`, 'free', LINE],
  ['a pending payment that reserves nothing', 'DELETE FROM ledger_hold WHERE id = $1', 'pending', STATE],
  ['a pending payment whose hold was voided', `UPDATE ledger_hold SET state = 'voided' WHERE id = $1`, 'pending', STATE],
  ['a failed payment whose hold is open', `UPDATE ledger_hold SET state = 'open' WHERE id = $1`, 'failed', STATE],
  ['a late success that was never called failed', 'UPDATE payment SET correction = NULL WHERE id = $1', 'corrected', STATE],
  ['a credit by a payment of something else', 'UPDATE payment SET invoice_id = NULL WHERE id = $1', 'inside', CREDIT],
  ['a hold of less than the payment', 'UPDATE ledger_hold SET amount_msat = 1 WHERE id = $1', 'charged', RESERVE],
  ['a shortfall that was never booked', 'UPDATE payment SET shortfall_msat = 1 WHERE id = $1', 'free', SHORTFALL],
  [
    'a credit of a shortfall that no payment has',
    `UPDATE ledger_transfer SET from_account = 5 WHERE id = (SELECT max(id) FROM ledger_transfer WHERE to_account = ${ACCOUNT})`,
    'free',
    SHORTFALL,
  ],
  ['a hold on another account', 'UPDATE ledger_hold SET account = account + 1 WHERE id = $1', 'free', RESERVE],
];

onFakeNode('satchel verify and payments', (service) => {
  let busy: Busy;
  beforeAll(async () => {
    busy = await beBusy(service);
  });

  it('finds no problem in a busy service', async () => {
    expect(await service.problems()).toEqual([]);
  });

  it.each(CHANGES)('finds %s', async (_what, sql, payment, problem) => {
    const found = await service.problemsAfter(sql, busy[payment]);
    expect(found.join('\n')).toContain([LINE, CREDIT, SHORTFALL].includes(problem) ? problem : `${busy[payment]}: ${problem}`);
    expect(await service.problems()).toEqual([]);
  });

  it('finds a withdraw link whose uses are not those of its claims', async () => {
    for (const change of ['uses_left = 1', 'overused = 1', 'uses = 2']) {
      const found = await service.problemsAfter(`UPDATE withdraw_link SET ${change} WHERE id <> $1`, '');
      expect(found).toEqual([expect.stringMatching(/^lnurlw_\w+: its remaining uses/)]);
    }
  });

  it('finds figures of a withdraw link that are not those of its paid claims', async () => {
    for (const change of ['claimed_msat = claimed_msat + 1', 'last_claimed_at = last_claimed_at + 1', 'last_claimed_at = NULL']) {
      const found = await service.problemsAfter(`UPDATE withdraw_link SET ${change} WHERE id <> $1`, '');
      expect(found).toEqual([expect.stringMatching(/^lnurlw_\w+: its claimed amount or the time/)]);
    }
  });

  it('finds figures of a pay link that are not those of its paid invoices', async () => {
    const changes = ['payments = payments + 1', 'received_msat = received_msat + 1', 'last_paid_at = last_paid_at + 1'];
    const gone = 'DELETE FROM pay_link_total WHERE link_id <> $1';
    for (const sql of [...changes.map((change) => `UPDATE pay_link_total SET ${change} WHERE link_id <> $1`), gone]) {
      const found = await service.problemsAfter(sql, '');
      expect(found).toEqual([expect.stringMatching(/^lnurlp_\w+: its payments, their sum/)]);
    }
  });

  it('finds counters of a withdraw link that are not the sums of its claims', async () => {
    for (const counter of ['claims', 'pending_msat', 'spent_msat', 'claimed_msat']) {
      const found = await service.problemsAfter(`UPDATE withdraw_link_day SET ${counter} = ${counter} + 1 WHERE link_id <> $1`, '');
      expect(found).toEqual([expect.stringMatching(/^lnurlw_\w+: the counters of a day/)]);
    }
    const gone = await service.problemsAfter('DELETE FROM withdraw_claim WHERE payment_id <> $1', '');
    expect(gone).toEqual([
      expect.stringMatching(/^lnurlw_\w+: the counters of a day/),
      expect.stringMatching(/^lntx_\w+: it claims a withdraw link/),
    ]);
  });

  it.each([
    ['a settlement for no wallet that is gone', 'DELETE FROM unmatched_settlement WHERE payment_hash = $1'],
    ['another amount of one', 'UPDATE unmatched_settlement SET amount_msat = amount_msat + 1 WHERE payment_hash = $1'],
    [
      'one that was never booked',
      `INSERT INTO unmatched_settlement (payment_hash, node_id, amount_msat, left_msat, is_keysend, settled_at)
       SELECT $1 || 'x', id, 9, 9, 0, 1 FROM lightning_node`,
    ],
  ])('finds %s', async (_what, sql) => {
    const found = await service.problemsAfter(sql, busy.unmatched);
    expect(found.join('\n')).toContain('msat in suspense: the amount that arrived for no wallet differs from the booked amount');
  });

  it('B6: finds an open hold that no payment owns, although the account includes it', async () => {
    const held = `INSERT INTO ledger_hold (id, account, amount_msat, state) SELECT 'lntx_0', ${ACCOUNT}, 1, 'open' WHERE $1 <> ''
      ;UPDATE ledger_account SET held_msat = held_msat + 1 WHERE id = ${ACCOUNT}`;
    expect(await service.problemsAfter(held, busy.charged)).toEqual(['lntx_0: no payment owns this hold']);
  });
});

onBothDatabases('satchel verify and lines', (open) => {
  it.each([
    ['of a fee', { fromType: 'network_fee', passThru: `{"source_transaction":"wtx_${newId()}o"}` }],
    ['of a fee, without words', { fromType: 'network_fee' }],
    ['of a payment', { fromType: 'ln_withdrawal', fromLntx: 'lntx_0' }],
  ])('finds one %s that no payment owns, in a ledger that is whole', async (_what, words) => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1_000]);
    const [from] = accounts as [number];
    const id = newId();
    await ledger.post({ transfers: [{ id, from, to: SYSTEM_ACCOUNTS.node, amountMsat: amount(5), ...words }] });
    expect(await problemsOf(database)).toEqual([`${id}${LINE}`]);
  });
});

onBothDatabases('satchel verify and credits', (open) => {
  it.each([
    ['that names no invoice', SYSTEM_ACCOUNTS.node, { toType: 'ln_deposit', toLntx: 'lntx_0' }],
    ['without a name', SYSTEM_ACCOUNTS.node, { toType: 'ln_deposit' }],
    ['from what the operator bears', SYSTEM_ACCOUNTS.routingFees, {}],
    ['from another wallet that names no invoice', undefined, { toType: 'ln_deposit', toLntx: 'lntx_0' }],
  ])('B6: finds a credit %s, in a ledger that is whole', async (_what, system, words) => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1_000, 1_000]);
    const [to, other] = accounts as [number, number];
    const id = newId();
    await ledger.post({ transfers: [{ id, from: system ?? other, to, amountMsat: amount(5), ...words }] });
    expect(await problemsOf(database)).toEqual([`${id}: no invoice owns this credit`]);
  });
});

/** Every way in which money moves, and every way in which a payment ends. */
onBothDatabases('satchel verify of a large database', (open) => {
  it('reads a snapshot whose statements have no time limit', async () => {
    const database = await open();
    const snapshot = vi.spyOn(database, 'snapshot');
    await verify(database);
    expect(snapshot.mock.calls.map(([, options]) => options)).toEqual([{ takesLong: true }]);
  });
});

async function beBusy(service: FakeNodeApp): Promise<Busy> {
  const { client, net } = service;
  const [wallet, friend] = [await client.wallet(5_000), await client.wallet(5_000)];
  const pay = async (paymentRequest: string, from: TestWallet = wallet, more = {}): Promise<Json> => {
    const json = { payment_request: paymentRequest, ...more };
    return (await client.request('POST', `/v1/wallet/${from.id}/withdraw`, { key: client.secretKey, json })).body;
  };
  const outside = (amountMsat: number, script: object) => net.outside.invoice({ amountMsat, script });
  const ofHash = async (hash: string): Promise<Json> => client.get(`/v1/lntx/${hash}`);

  const until = (isSo: () => Promise<boolean>) => vi.waitUntil(isSo, { timeout: 150_000, interval: 20 });
  const untilSettled = (hash: string) => until(async () => (await ofHash(hash)).status === 'settled');

  const charged = await pay(outside(100_000, { fee: 1_500 }).paymentRequest);
  const free = await pay(outside(100_000, { fee: 0 }).paymentRequest);
  await pay(outside(100_000, { fee: 'double', ignoresFeeLimit: true }).paymentRequest, wallet, { fee_limit_msat: 5_000 });
  const failed = outside(100_000, { fail: 'NO_ROUTE' });
  await pay(failed.paymentRequest);
  const inside = await pay((await client.post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis: 50 })).payment_request);
  await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: friend.id, num_satoshis: 20 });
  const { nodes } = await client.get('/playground');
  const dest_pubkey = nodes.find(({ name }: Json) => name === 'carol').pubkey;
  net.nextPayment({ fee: 700 });
  await client.post(`/v1/wallet/${wallet.id}/keysend`, { dest_pubkey, num_satoshis: 30 });
  await net.outside.keysend({ amountMsat: 7_000, customRecords: { '696969': Buffer.from(friend.id).toString('hex') } });
  const payLink = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, {});
  const { pr }: Json = await (await fetch(`${payLink.url}?amount=5000`)).json();
  await client.post('/playground/pay', { payment_request: pr });
  const link = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100 });
  const { callback, k1 }: Json = await (await fetch(link.url)).json();
  const claimed = outside(100_000, { fee: 900 });
  await fetch(`${callback}&k1=${k1}&pr=${claimed.paymentRequest}`);
  await untilSettled(claimed.paymentHash);

  const [late, borne] = [outside(200_000, { lateSuccessMs: 60_000, fee: 2_000 }), outside(4_000_000, { lateSuccessMs: 60_000, fee: 0 })];
  await pay(late.paymentRequest);
  await pay(borne.paymentRequest, friend);
  await client.post(`/v1/wallet/${friend.id}/transfer`, { dest_wallet_id: wallet.id, num_satoshis: 3_000 });
  service.time.advance(60_000);
  await untilSettled(late.paymentHash);
  // One was charged to its wallet, the other is borne by the operator.
  const corrected = 'satchel_alerts_open{kind="payment_corrected"} 2';
  await until(async () => (await client.request('GET', '/metrics')).text.includes(corrected));
  const unmatched = 'ab'.repeat(32);
  const settlement = { paymentHash: unmatched, preimage: '', amountMsat: 3_000, settledAt: 1, keysend: false, customRecords: {} };
  net.tell({ type: 'settlement', ...settlement } as Parameters<typeof net.tell>[0]);
  await until(async () => (await service.suspenseMsat()) === 3_000);
  const held = outside(100_000, { hold: true });
  const pending = client.request('POST', `/v1/wallet/${friend.id}/withdraw`, {
    key: client.secretKey,
    json: { payment_request: held.paymentRequest },
    headers: { prefer: 'respond-async' },
  });
  return {
    charged: charged.lnTx.id,
    free: free.lnTx.id,
    failed: (await ofHash(failed.paymentHash)).id,
    corrected: (await ofHash(late.paymentHash)).id,
    pending: (await pending).body.lnTx.id,
    inside: inside.lnTx.id,
    unmatched,
  };
}
