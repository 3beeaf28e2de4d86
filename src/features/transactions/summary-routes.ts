import { type Static, Type } from 'typebox';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import type { Fees } from '../../core/fees/fees.ts';
import { readSummary, type Summary, type SummaryQuery } from '../../core/journal/sums.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { msat, subMsat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { maxPayableNow, type PayableTerms } from '../../core/payments/fee-limit.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { accountScope, walletFilter } from '../../http/auth/account-scope.ts';
import { choice, KeyParams, unixTime } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';

const HOUR = 3600;
/** The period of each interval without `from`, in seconds: a day, 30 days, a year. */
const DEFAULT = { hour: 86_400, day: 30 * 86_400, month: 365 * 86_400 } as const;
/** The longest period of each interval, in seconds: 31 days, two years, ten years. */
const LONGEST = { hour: 31 * 86_400, day: 732 * 86_400, month: 3660 * 86_400 } as const;

export const SummaryParameters = Type.Object({
  from: Type.Optional(
    unixTime(
      'The beginning of the period, in Unix seconds: the beginning of an hour (UTC). Default: everything; with `interval` a day, 30 days or a year before `until`',
    ),
  ),
  until: Type.Optional(
    unixTime('The end of the period, which is not part of it, in Unix seconds: the beginning of an hour. Default: the end of this hour'),
  ),
  interval: Type.Optional(
    choice(['hour', 'day', 'month'], {
      description: 'Also returns the sums of each hour, day or month (UTC). The period is at most 31 days, two years, ten years',
    }),
  ),
});

const amount = (description: string) => Type.Integer({ description });

const SUMS = {
  in_msat: amount('Millisatoshis that arrived in the period'),
  in_count: amount('How many times money arrived'),
  out_msat: amount('Millisatoshis that left in the period, without fees'),
  out_count: amount('How many times money left'),
  fees_msat: amount('Millisatoshis that were paid as fees'),
  failed_count: amount('Payments that were started in the period and failed'),
};

export const SummaryObject = Type.Object(
  {
    balance_msat: amount('The spendable balance in millisatoshis now. It does not contain `pending_msat`'),
    pending_msat: amount('Millisatoshis that are held for payments in flight now: their amounts and fee limits'),
    max_payable_msat: Type.Optional(
      amount('For a wallet: the largest amount that can be paid over the network and still leaves the default fee reserve'),
    ),
    wallets: Type.Optional(amount('For an account: the number of its wallets')),
    ...SUMS,
    buckets: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'The beginning of the hour, day or month, in Unix seconds' }),
        ...SUMS,
        balance_msat: amount('The balance at its end in millisatoshis, with what was held for payments'),
      }),
      { description: 'The sums of each hour, day or month, oldest first; empty without `interval`' },
    ),
  },
  { title: 'Summary', description: 'Sums of settled transactions. A day has the same sums as its statement' },
);

const COMMON = {
  tags: ['History'],
  description:
    'The sums of settled transactions by the time of booking, exact to the millisatoshi, and the balance. Fees are part of neither `in_msat` ' +
    'nor `out_msat`.',
  response: { 200: SummaryObject },
};

interface SummaryContext {
  readonly access: Access;
  readonly database: Database;
  readonly fees: Fees;
  readonly connections: NodeConnections;
  readonly clock: Clock;
}

export function summaryRoutes(app: App, { access, database, fees, connections, clock }: SummaryContext): void {
  const termsOf = async (walletId: string, nodeId: string): Promise<PayableTerms> => ({
    feeOf: await fees.feeFunction(walletId, 'ln_out'),
    nodeSpendableMsat: connections.spendableMsat(nodeId),
  });
  for (const base of WALLET_BASES) {
    const schema = {
      ...COMMON,
      operationId: 'getWalletSummary',
      summary: 'Read the sums of a wallet',
      ...requires('wallet_read'),
      params: KeyParams,
      querystring: SummaryParameters,
    };
    app.get(`${base}/summary`, { schema }, async (request) => {
      const { id, ledgerAccount, nodeId } = await access.wallet(request, 'wallet_read');
      const summary = await readSummary(database, { ledgerAccount }, periodOf(clock, request.query));
      return summaryObject(summary, await termsOf(id, nodeId));
    });
  }
  const schema = {
    ...COMMON,
    operationId: 'getAccountSummary',
    summary: 'Read the sums of all wallets of the account',
    ...requires('account'),
    querystring: Type.Object({ ...SummaryParameters.properties, wallet_id: walletFilter('sums') }),
    errorStatuses: [404],
  };
  app.get('/v1/account/summary', { schema }, async (request) => {
    const scope = await accountScope(access, request);
    const owner = 'wallet' in scope ? { ledgerAccount: scope.wallet.ledgerAccount } : { accountId: scope.accountId };
    const summary = await readSummary(database, owner, periodOf(clock, request.query));
    return summaryObject(summary, 'wallet' in scope ? await termsOf(scope.wallet.id, scope.wallet.nodeId) : undefined);
  });
}

/** Returns the requested period. @throws Refusal for one that does not consist of whole hours, or is too long for its interval */
export function periodOf(clock: Clock, { from: sent, until, interval }: Static<typeof SummaryParameters>): SummaryQuery {
  const end = until ?? (Math.floor(unixSeconds(clock) / HOUR) + 1) * HOUR;
  const from = sent ?? (interval ? Math.max(0, end - DEFAULT[interval]) : 0);
  for (const [name, value] of Object.entries({ from, until: end }))
    if (value % HOUR !== 0) throw new Refusal('validation_failed', `\`${name}\` must be the beginning of an hour (a multiple of 3600).`);
  if (from > end) throw new Refusal('validation_failed', '`until` must not be before `from`.');
  if (interval && end - from > LONGEST[interval])
    throw new Refusal(
      'validation_failed',
      `The period is too long for \`interval=${interval}\`: at most ${LONGEST[interval] / 86_400} days.`,
    );
  return { from, until: end, interval };
}

/** Returns the object of a wallet's summary, or without `wallet` of an account's. */
export function summaryObject(summary: Summary, wallet: PayableTerms | undefined): Static<typeof SummaryObject> {
  const { balance_msat, held_msat, wallets, ...sums } = summary;
  const spendableMsat = subMsat(msat(balance_msat), msat(held_msat));
  return {
    balance_msat: spendableMsat,
    pending_msat: held_msat,
    ...(wallet ? { max_payable_msat: maxPayableNow(spendableMsat, wallet) } : { wallets }),
    ...sums,
  };
}
