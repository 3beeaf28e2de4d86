import { lockAccount } from '../accounts/accounts.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { openList } from '../db/list.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId, splitIds } from '../kernel/ids.ts';
import { type List, mapList } from '../kernel/list.ts';
import { type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';
import { SHORT_TTL, TtlCache } from '../kernel/ttl-cache.ts';
import { type RowWrite, SYSTEM_ACCOUNTS, type TransferOrder } from '../ledger/ledger.ts';
import { findReceivingRestriction, type Wallet } from '../wallets/wallets.ts';
import { FEE_DIRECTIONS, type FeeDirection, millionthsOf, receiptFee, type ServiceFeeRule, serviceFee } from './fee-rule.ts';
import * as sql from './fees.sql.ts';

/** The fees of each direction. A direction without a rule is free. */
export type FeeRules = Readonly<Partial<Record<FeeDirection, ServiceFeeRule>>>;

/** One version of the fees of an account or a wallet. */
export interface FeeSchedule {
  /** `fee_…` */
  readonly id: string;
  /** The account or the wallet. */
  readonly ownerId: string;
  readonly version: number;
  /** Undefined: the owner has no fees of its own from this version on. */
  readonly rules: FeeRules | undefined;
  readonly madeBy: string;
  readonly reason: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** A part of the service's fees that goes to a wallet of an account above a sub-account. */
interface RevenueShare {
  readonly millionths: number;
  /** The wallet that gets it, and its ledger account. */
  readonly walletId: string;
  readonly account: number;
}

/** What a wallet is charged. */
interface WalletFees {
  readonly schedule: FeeSchedule | undefined;
  readonly share: RevenueShare | undefined;
}

/** A fee above zero, and the schedule that requires it. */
export interface ServiceFee {
  readonly feeMsat: Msat;
  readonly scheduleId: string;
}

/** A fee that a posting charges. */
interface ChargedFee extends ServiceFee {
  readonly direction: FeeDirection;
  readonly wallet: Pick<Wallet, 'id' | 'ledgerAccount'>;
  /** The wallet transaction that the fee belongs to. */
  readonly source: { readonly transferId: string; readonly side: 'from' | 'to' };
  /** The payment or the invoice. */
  readonly lntx?: string | undefined;
}

/** The parts of a posting that charge a fee. The transfer to `service_fees` comes from the wallet, so the post of a hold may contain it. */
export interface FeePosting {
  readonly charged: TransferOrder[];
  /** The transfer of the revenue share. It follows `charged`. */
  readonly shared: TransferOrder[];
  readonly rows: RowWrite[];
}

const NO_FEE: FeePosting = { charged: [], shared: [], rows: [] };

export interface FeeDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

export type Fees = ReturnType<typeof createFees>;

/**
 * The fees that the service charges to wallets. The schedule of a wallet applies, or else that of its account, or else that of the nearest
 * account above. A change takes up to a second to apply on every instance. A payment pays the fee that was computed when it was started.
 */
export function createFees({ database, clock }: FeeDependencies) {
  const cache = new TtlCache<WalletFees>(SHORT_TTL);
  // A service without fees reads one row per second.
  const hasSchedules = new TtlCache<boolean>({ ...SHORT_TTL, maxSize: 1 });

  async function readFees(walletId: string): Promise<WalletFees | undefined> {
    const owners = await database.first(sql.findOwners, walletId);
    if (!owners) return undefined;
    const ids = [walletId, owners.account_id, ...splitIds(owners.ancestors)];
    const current = await readSchedules(database, await database.all(sql.findCurrent, ids));
    const nearest = ids.flatMap((id) => current.find((one) => one.ownerId === id && one.rules) ?? [])[0];
    const { share: millionths, share_wallet: shareWallet, share_account: account } = owners;
    return { schedule: nearest, share: toShare(millionths, shareWallet, account) };
  }

  async function feesOf(walletId: string): Promise<WalletFees | undefined> {
    if (!(await hasSchedules.get('any', async () => (await database.first(sql.findAny)) !== undefined))) return undefined;
    return cache.get(walletId, () => readFees(walletId));
  }

  async function ruleOf(walletId: string, direction: FeeDirection) {
    const schedule = (await feesOf(walletId))?.schedule;
    const rule = schedule?.rules?.[direction];
    return schedule && rule && { rule, scheduleId: schedule.id };
  }

  return {
    /** Returns the fee of an amount; undefined if it is zero. The fee of a receipt is at most the amount. */
    async quote(walletId: string, direction: FeeDirection, amountMsat: Msat): Promise<ServiceFee | undefined> {
      const found = await ruleOf(walletId, direction);
      if (!found) return undefined;
      const feeMsat = (direction === 'ln_in' ? receiptFee : serviceFee)(found.rule, amountMsat);
      return feeMsat > 0 ? { feeMsat, scheduleId: found.scheduleId } : undefined;
    },

    /** Returns the function from amounts to fees of a direction; undefined if it is free. */
    async feeFunction(walletId: string, direction: FeeDirection): Promise<((amountMsat: Msat) => Msat) | undefined> {
      const found = await ruleOf(walletId, direction);
      return found && ((amountMsat) => serviceFee(found.rule, amountMsat));
    },

    /**
     * Returns the parts of a posting that charge a fee. While the account of the revenue wallet may not receive, its share stays with the
     * service. Its state is not from the cache.
     */
    async posting(fee: ChargedFee | undefined): Promise<FeePosting> {
      if (!fee) return NO_FEE;
      const share = (await feesOf(fee.wallet.id))?.share;
      const isRestricted = share && (await findReceivingRestriction(database, share.walletId)) !== undefined;
      return feePosting(clock, fee, isRestricted ? undefined : share);
    },

    /** Returns the newest schedule of an account or a wallet; undefined if it has none of its own. */
    async find(ownerId: string): Promise<FeeSchedule | undefined> {
      const [schedule] = await readSchedules(database, await database.all(sql.findCurrent, [ownerId]));
      return schedule?.rules ? schedule : undefined;
    },

    /** Returns the schedule that applies to a wallet; undefined if there is none. Not from the cache. */
    ofWallet: async (walletId: string): Promise<FeeSchedule | undefined> => (await readFees(walletId))?.schedule,

    /** Returns a schedule by its id. */
    async findById(id: string): Promise<FeeSchedule | undefined> {
      const row = await database.first(sql.findSchedule, id);
      return row && (await readSchedules(database, [row]))[0];
    },

    listVersions: (ownerId: string): List<FeeSchedule> =>
      mapList(openList(database, { statements: sql.listVersions, filters: [ownerId], prefix: 'fee' }), (rows) =>
        readSchedules(database, rows),
      ),

    /** Forgets what this process has read, after a change. */
    forget(): void {
      hasSchedules.clear();
      cache.clear();
    },
  };
}

/** A new version of the fees of an account or a wallet. */
export interface NewSchedule extends Pick<FeeSchedule, 'ownerId' | 'rules' | 'madeBy' | 'reason'> {
  /** The account itself, or that of the wallet. */
  readonly accountId: string;
}

/**
 * Stores the next version of the fees of an account or a wallet. Call {@link Fees.forget} after the commit.
 * @returns its id, and the rules before; undefined if there were none
 */
export async function insertSchedule(
  tx: Tx,
  clock: Clock,
  { ownerId, accountId, rules, madeBy, reason }: NewSchedule,
): Promise<{ readonly id: string; readonly before: FeeRules | undefined }> {
  // One at a time, so that two requests do not compute the same version.
  await lockAccount(tx, accountId);
  const [current] = await readSchedules(tx, await tx.all(sql.findCurrent, [ownerId]));
  const id = `fee_${newId(clock.nowMs())}`;
  await tx.run(sql.insertSchedule, id, ownerId, rules ? 0 : 1, madeBy, reason, unixSeconds(clock));
  for (const direction of FEE_DIRECTIONS) {
    const rule = rules?.[direction];
    if (!rule) continue;
    const { flatMsat, proportionalMillionths, minMsat, maxMsat = null, freeBelowMsat } = rule;
    await tx.run(sql.insertRule, id, direction, flatMsat, proportionalMillionths, minMsat, maxMsat, freeBelowMsat);
  }
  return { id, before: current?.rules };
}

async function readSchedules(reader: SqlReader, rows: readonly sql.ScheduleRow[]): Promise<FeeSchedule[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const rules = Map.groupBy(await reader.all(sql.findRules, ids), ({ schedule_id }) => schedule_id);
  return rows.map((row) => ({
    id: row.id,
    ownerId: row.owner_id,
    version: row.version,
    rules:
      row.is_removed === 1 ? undefined : Object.fromEntries((rules.get(row.id) ?? []).map((rule) => [rule.direction, ruleFromRow(rule)])),
    madeBy: row.made_by,
    reason: row.reason,
    createdAt: row.created_at,
  }));
}

function ruleFromRow(row: sql.RuleRow): ServiceFeeRule {
  return {
    flatMsat: msat(row.flat_msat),
    proportionalMillionths: row.proportional_millionths,
    minMsat: msat(row.min_msat),
    maxMsat: row.max_msat === null ? undefined : msat(row.max_msat),
    freeBelowMsat: msat(row.free_below_msat),
  };
}

function toShare(millionths: number, walletId: string | null, account: number | null): RevenueShare | undefined {
  return walletId === null || account === null || millionths === 0 ? undefined : { walletId, millionths, account };
}

function feePosting(clock: Clock, fee: ChargedFee, share: RevenueShare | undefined): FeePosting {
  const { feeMsat, scheduleId, direction, wallet, source, lntx } = fee;
  const id = newId(clock.nowMs());
  const passThru = JSON.stringify({ source_transaction: walletTransactionId(source.transferId, source.side) });
  const charged = {
    id,
    from: wallet.ledgerAccount,
    to: SYSTEM_ACCOUNTS.serviceFees,
    amountMsat: feeMsat,
    fromType: 'service_fee',
    passThru,
  };
  const shareMsat = share ? millionthsOf(feeMsat, share.millionths) : ZERO_MSAT;
  const shared = share &&
    shareMsat > 0 && {
      id: newId(clock.nowMs()),
      from: SYSTEM_ACCOUNTS.serviceFees,
      to: share.account,
      amountMsat: shareMsat,
      toType: 'revenue_share',
    };
  const parameters = [id, scheduleId, direction, feeMsat, wallet.id, lntx ?? null, shareMsat, shared ? shared.id : null];
  return {
    charged: [charged],
    shared: shared ? [shared] : [],
    rows: [{ statement: sql.insertFee, parameters, onMiss: () => new Error('the fee was not recorded') }],
  };
}
