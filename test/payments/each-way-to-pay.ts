import { expect, it, onTestFinished } from 'vitest';
import type { Dialect } from '../../src/core/db/database.ts';
import { type FakeNodeApp, onFakeNodeOf } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { okOf, type Payer, type Sender, WAYS, type Way } from './ways-to-pay.ts';

const THRESHOLD_MSAT = 100_000;
const FEE_MSAT = 1000;

interface RuleBase {
  readonly name: string;
  /** The limits of the key. */
  readonly key?: Json;
  /** What the wallet has. Absent: much more than the threshold. */
  readonly fundsSat?: number;
  /** What each payment costs in addition. */
  readonly feeMsat?: number;
  /** Whether it concerns the account above, so that no other account may be below it. */
  readonly needsOwnParent?: boolean;
  /** Prepares the account and the wallet. */
  prepare?(app: FakeNodeApp, sender: Sender, payer: Payer): Promise<unknown>;
}

/** A rule that allows amounts up to the threshold. */
interface Limit extends RuleBase {
  readonly type: string;
}

/** A rule that allows no payment. */
interface Block extends RuleBase {
  /** The types of errors over HTTP. */
  readonly types: readonly string[];
  readonly withoutPermission?: boolean;
  /** Whether it concerns a way. Absent: each. */
  concerns?(way: Way): boolean;
}

const setLimits =
  (ownerOf: (sender: Sender) => string, limits: Json) =>
  ({ client }: FakeNodeApp, sender: Sender) =>
    client.request('PUT', `/v1/${ownerOf(sender)}/limits`, { key: client.secretKey, json: limits }).then(okOf);
const ofWallet = (limits: Json) => setLimits(({ wallet }) => `wallets/${wallet.id}`, limits);
const ofAccount = (limits: Json) => setLimits(({ account }) => `accounts/${account}`, limits);
const ofAncestor = (limits: Json) => setLimits(({ parent }) => `accounts/${parent}`, limits);

const PENDING_MSAT = 40_000;

/** Sets a limit that a pending payment of the wallet has used in part. */
const whilePending = (limits: Json) => async (app: FakeNodeApp, sender: Sender) => {
  await ofWallet(limits)(app, sender);
  const { paymentRequest } = app.net.outside.invoice({ amountMsat: PENDING_MSAT, script: { hold: true, fee: 0 } });
  const json = { payment_request: paymentRequest };
  const headers = { prefer: 'respond-async' };
  okOf(await app.client.request('POST', `/v1/wallet/${sender.wallet.id}/withdraw`, { key: sender.secretKey, json, headers }));
};

const setFees = ({ client }: FakeNodeApp, { wallet }: Sender) => {
  const rule = { flat_msat: FEE_MSAT };
  const json = { rules: { ln_out: rule, internal: rule, link: rule } };
  return client.request('PUT', `/v1/wallets/${wallet.id}/fees`, { key: client.secretKey, json }).then(okOf);
};

const SPENDING = { type: 'spending_limit_exceeded' };

/** Each rule with a threshold. Add a new one here. */
const LIMITS: readonly Limit[] = [
  { name: 'the balance', type: 'insufficient_balance', fundsSat: THRESHOLD_MSAT / 1000 },
  {
    name: 'the balance less the fee of the service',
    type: 'insufficient_balance',
    fundsSat: (THRESHOLD_MSAT + FEE_MSAT) / 1000,
    feeMsat: FEE_MSAT,
    prepare: setFees,
  },
  ...['day', 'ever'].map((budget_period) => ({
    name: `the key's budget (${budget_period})`,
    type: 'budget_exceeded',
    key: { budget_msat: THRESHOLD_MSAT, budget_period },
  })),
  {
    name: "the key's budget less the fee of the service",
    type: 'budget_exceeded',
    key: { budget_msat: THRESHOLD_MSAT + FEE_MSAT, budget_period: 'day' },
    feeMsat: FEE_MSAT,
    prepare: setFees,
  },
  { name: "the key's largest payment", type: 'payment_cap_exceeded', key: { max_payment_msat: THRESHOLD_MSAT } },
  { name: "the key's limit per day", ...SPENDING, key: { max_out_day_msat: THRESHOLD_MSAT } },
  { name: "the key's limit per month", ...SPENDING, key: { max_out_month_msat: THRESHOLD_MSAT } },
  { name: "the wallet's largest payment", ...SPENDING, prepare: ofWallet({ max_payment_msat: THRESHOLD_MSAT }) },
  { name: "the wallet's limit per day", ...SPENDING, prepare: ofWallet({ max_out_day_msat: THRESHOLD_MSAT }) },
  { name: "the wallet's limit per month", ...SPENDING, prepare: ofWallet({ max_out_month_msat: THRESHOLD_MSAT }) },
  ...['day', 'month'].map((period) => ({
    name: `the wallet's limit per ${period} less a pending payment`,
    ...SPENDING,
    prepare: whilePending({ [`max_out_${period}_msat`]: THRESHOLD_MSAT + PENDING_MSAT }),
  })),
  { name: "the account's largest payment", ...SPENDING, prepare: ofAccount({ max_payment_msat: THRESHOLD_MSAT }) },
  { name: "the account's limit per day", ...SPENDING, prepare: ofAccount({ max_out_day_msat: THRESHOLD_MSAT }) },
  { name: "the account's limit per month", ...SPENDING, prepare: ofAccount({ max_out_month_msat: THRESHOLD_MSAT }) },
  {
    name: 'the limit per day of the account above',
    ...SPENDING,
    needsOwnParent: true,
    prepare: ofAncestor({ max_out_day_msat: THRESHOLD_MSAT }),
  },
  {
    name: 'the limit per month of the account above',
    ...SPENDING,
    needsOwnParent: true,
    prepare: ofAncestor({ max_out_month_msat: THRESHOLD_MSAT }),
  },
];

const setStatus =
  (status: string) =>
  ({ client }: FakeNodeApp, { account }: Sender) =>
    client.request('PATCH', `/v1/accounts/${account}`, { key: client.secretKey, json: { status, reason: 'a test' } }).then(okOf);

const isPayment = ({ isTransfer }: Way) => isTransfer !== true;

/** Each rule that blocks payments. Add a new one here. */
const BLOCKS: readonly Block[] = [
  { name: 'a frozen account', types: ['account_restricted', 'wallet_inactive'], prepare: setStatus('frozen') },
  { name: 'an account that only receives', types: ['account_restricted', 'wallet_inactive'], prepare: setStatus('receive_only') },
  {
    name: 'an inactive wallet',
    types: ['wallet_inactive'],
    prepare: ({ client }, { wallet, secretKey }) =>
      client.request('PATCH', `/v1/wallet/${wallet.id}`, { key: secretKey, json: { status: 'inactive' } }).then(okOf),
  },
  { name: 'a key without the permission', types: ['forbidden'], withoutPermission: true },
  {
    name: 'an expired key',
    types: ['unauthorized'],
    prepare: ({ execute }, _sender, { keyId }) => execute('UPDATE access_key SET expires_at = 1 WHERE id = $1', keyId),
  },
  {
    name: 'a revoked key',
    types: ['unauthorized'],
    prepare: ({ client }, { wallet, secretKey }, { keyId }) =>
      client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${keyId}`, { key: secretKey }).then(okOf),
  },
  { name: 'a wallet without payments per minute', types: [SPENDING.type], prepare: ofWallet({ max_payments_per_minute: 0 }) },
  { name: 'a wallet without pending payments', types: [SPENDING.type], prepare: ofWallet({ max_pending: 0 }), concerns: isPayment },
  { name: 'an account without pending payments', types: [SPENDING.type], prepare: ofAccount({ max_pending: 0 }), concerns: isPayment },
];

/** Blocks of the whole service, which concern no transfers. */
const leavesTheService = ({ isInternal, isPostponed }: Way) => !isInternal && !isPostponed;

const SETTINGS = { LNDHUB: 'true' };
const JOB_TIMING = { nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 200 } }, payouts: { pollMs: 10, retryMs: 20 } };

/** Tests each way to pay with each limit, block and fee on a database. It takes a minute, so the fast tests have one database. */
export function testEachWayToPay(dialect: Dialect): void {
  onFakeNodeOf({ name: 'each way to pay', dialect, settings: SETTINGS, jobTiming: JOB_TIMING }, (app) => {
    const { client } = app;

    let sharedParent: Promise<Json> | undefined;
    const newParent = (): Promise<Json> => client.post('/v1/accounts', {});

    /** Creates an account with two wallets, below another account. */
    async function newSender(fundsSat: number, needsOwnParent: boolean): Promise<Sender> {
      sharedParent ??= newParent();
      const parent = await (needsOwnParent ? newParent() : sharedParent);
      const { id, secret_key: secretKey } = await client.post('/v1/accounts', { parent_id: parent.id });
      const send = async (path: string, json: Json) => okOf(await client.request('POST', path, { key: secretKey, json }));
      const [wallet, other] = await Promise.all(['payer', 'other'].map((user_label) => send('/v1/wallet', { user_label })));
      await send('/playground/fund', { wallet_id: wallet.id, num_satoshis: fundsSat });
      return { account: id, parent: parent.id, secretKey, wallet, other };
    }

    async function connected(way: Way, { key = {}, fundsSat = 1000, needsOwnParent = false, prepare }: RuleBase, maySend = true) {
      const sender = await newSender(fundsSat, needsOwnParent);
      const payer = await way.connect(app, sender, key, maySend);
      onTestFinished(() => payer.close?.());
      await prepare?.(app, sender, payer);
      return { payer, balance: () => balanceOf(sender) };
    }

    /** Returns the committed balance of the payer's wallet, which no rule changes, without what is pending. */
    async function balanceOf({ wallet }: Sender): Promise<number> {
      const [row] = await app.rows(
        `SELECT t.from_account = w.ledger_account AS is_out, CASE WHEN t.from_account = w.ledger_account THEN t.from_balance_msat
           ELSE t.to_balance_msat END AS balance_msat
         FROM wallet w JOIN ledger_transfer t ON w.ledger_account IN (t.from_account, t.to_account) WHERE w.id = $1 ORDER BY t.position DESC LIMIT 1`,
        wallet.id,
      );
      return Number(row?.balance_msat);
    }

    async function withEachWay<T>(ways: readonly Way[], run: (way: Way) => Promise<T>): Promise<Record<string, T>> {
      return Object.fromEntries(await Promise.all(ways.map(async (way) => [way.name, await run(way)] as const)));
    }

    const isOverHttp = (name: string) => !/app|LNDhub|claim/.test(name);
    const refusal = ({ name }: Way, types: readonly string[]) =>
      isOverHttp(name) ? expect.stringMatching(new RegExp(`^(${types.join('|')})$`)) : expect.not.stringMatching(/^paid$/);

    it.each(LIMITS)('pays up to $name, and nothing above it', async (limit) => {
      const endings = await withEachWay(WAYS, async (way) => {
        const { payer, balance } = await connected(way, limit);
        const { stepMsat = 1 } = way;
        const before = await balance();
        const above = await payer.pay(THRESHOLD_MSAT + stepMsat);
        const after = await balance();
        const at = await payer.pay(THRESHOLD_MSAT);
        await expect.poll(balance, { message: way.name }).toBe(at === 'paid' ? before - THRESHOLD_MSAT - (limit.feeMsat ?? 0) : before);
        return { above, unchanged: after === before, at };
      });
      const expected = WAYS.map((way) => [way.name, { above: refusal(way, [limit.type]), unchanged: true, at: 'paid' }]);
      expect(endings).toEqual(Object.fromEntries(expected));
      expect(await app.problems()).toEqual([]);
    });

    it('pays the amounts next to a limit as often as another limit allows', async () => {
      const left = 4000;
      const endings = await withEachWay(WAYS, async (way) => {
        const { stepMsat = 1 } = way;
        const key = { max_payment_msat: THRESHOLD_MSAT, max_out_day_msat: 2 * THRESHOLD_MSAT - stepMsat + left };
        const { payer } = await connected(way, { name: '', key });
        const sent: boolean[] = [];
        for (const amountMsat of [THRESHOLD_MSAT - stepMsat, THRESHOLD_MSAT, left + stepMsat, left])
          sent.push((await payer.pay(amountMsat)) === 'paid');
        return sent;
      });
      expect(endings).toEqual(Object.fromEntries(WAYS.map(({ name }) => [name, [true, true, false, true]])));
      expect(await app.problems()).toEqual([]);
    });

    it.each(BLOCKS)('pays nothing with $name', async (block) => {
      const { concerns = () => true, withoutPermission = false, types } = block;
      const ways = WAYS.filter(concerns);
      const endings = await withEachWay(ways, async (way) => {
        const { payer, balance } = await connected(way, block, !withoutPermission);
        const before = await balance();
        const ending = await payer.pay(THRESHOLD_MSAT);
        return { ending, unchanged: (await balance()) === before };
      });
      expect(endings).toEqual(Object.fromEntries(ways.map((way) => [way.name, { ending: refusal(way, types), unchanged: true }])));
      expect(await app.problems()).toEqual([]);
    });

    it('pays only inside the service while withdrawals are stopped', async () => {
      const ways = WAYS.filter(({ isPostponed }) => !isPostponed);
      const payers = await withEachWay(ways, (way) => connected(way, { name: '' }));
      await client.post('/v1/operator/withdrawals/stop', { reason: 'a test' });
      const endings = await withEachWay(ways, ({ name }) => payers[name]?.payer.pay(THRESHOLD_MSAT) ?? Promise.resolve(''));
      await client.post('/v1/operator/withdrawals/resume', { reason: 'a test' });
      const expected = ways.map((way) => [way.name, leavesTheService(way) ? refusal(way, ['withdrawals_stopped']) : 'paid']);
      expect(endings).toEqual(Object.fromEntries(expected));
      expect(await app.problems()).toEqual([]);
    });
  });
}
