import { type Accounts, type Key, lineageGuard, termsOfKey } from '../../core/accounts/accounts.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { openList } from '../../core/db/list.ts';
import { writeManyRows, writeRows } from '../../core/db/row-write.ts';
import { eventRow } from '../../core/journal/events.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { FiatAmount } from '../../core/kernel/fiat.ts';
import { newId } from '../../core/kernel/ids.ts';
import { type List, mapList, pageOf } from '../../core/kernel/list.ts';
import { MAX_MSAT, type Msat, msat } from '../../core/kernel/money.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { type Guard, type RowWrite, requireGuards } from '../../core/ledger/ledger.ts';
import type { Tasks } from '../../core/tasks/tasks.ts';
import { type Wallet, walletGuard } from '../../core/wallets/wallets.ts';
import * as sql from './payouts.sql.ts';

export type PayoutLine = sql.LineRow;
export type ListedLine = sql.ListedLineRow;

/** A payout with the number of its lines in each state. */
export interface Payout extends sql.PayoutRow {
  readonly counts: Readonly<Record<sql.LineState, number>>;
  readonly paidMsat: number;
}

/** A line that has been checked. */
export interface NewLine {
  readonly kind: PayoutLine['kind'];
  /** The id of a wallet, an invoice, or an address or LNURL. */
  readonly destination: string;
  readonly amountMsat: Msat;
  /** The amount in a currency from which `amountMsat` was computed. */
  readonly fiat?: FiatAmount | undefined;
  readonly memo: string | undefined;
  readonly message: string | undefined;
  readonly feeLimitMsat: Msat | undefined;
  /** JSON text. */
  readonly passThru: string | undefined;
}

export interface PayoutOrder {
  readonly wallet: Wallet;
  /** The key whose rights the payments need, and whose limits count them. */
  readonly key: Key;
  readonly guards: readonly Guard[];
  readonly userLabel: string;
  readonly lines: readonly NewLine[];
}

/** The running payouts of one wallet. */
const MAX_RUNNING = 20;

/** The queue whose tasks are payouts. */
export const PAYOUTS = 'payouts';

/** The prefix of ids. */
export const PAYOUT_PREFIX = 'payout';

/** Stores payouts. `run-payouts.ts` makes their payments. */
export type Payouts = ReturnType<typeof createPayouts>;

export interface PayoutDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly tasks: Tasks;
}

export function createPayouts({ database, clock, tasks }: PayoutDependencies) {
  /** Returns the task that executes a payout. Its key lets one instance at a time execute it. */
  const taskOf = (id: string, accountId: string): RowWrite => tasks.rowOf({ queue: PAYOUTS, orderingKey: id, accountId, payload: id });

  async function withCounts(rows: readonly sql.PayoutRow[]): Promise<Payout[]> {
    const ids = rows.map(({ id }) => id);
    return countLines(rows, ids.length === 0 ? [] : await database.all(sql.sumLines, ids));
  }

  async function find({ id: walletId }: Wallet, id: string): Promise<Payout> {
    const row = requireFound(await database.first(sql.findPayout, id, walletId));
    return requireFound((await withCounts([row]))[0]);
  }

  return {
    /** @throws Refusal `not_found` */
    find,

    list({ id: walletId }: Wallet): List<Payout> {
      return mapList(openList(database, { statements: sql.listPayouts, filters: [walletId], prefix: PAYOUT_PREFIX }), withCounts);
    },

    /** Returns the lines of a payout, whose cursor is the number of a line. */
    listLines: ({ id, numLines }: Payout): List<ListedLine> => ({
      async readPage({ limit, order, after }) {
        const cursor = after === undefined ? (order === 'asc' ? -1 : numLines) : readLineNumber(after);
        const rows = await database.all(sql.linePages[order], id, cursor, limit + 1);
        return pageOf(rows, limit, ({ line }) => String(line));
      },
      count: async () => numLines,
    }),

    /** Stores a payout, which is then executed in the background. @throws Refusal */
    async create({ wallet, key, guards, userLabel, lines }: PayoutOrder, extraRows: (id: string) => readonly RowWrite[]): Promise<Payout> {
      const id = `${PAYOUT_PREFIX}_${newId(clock.nowMs())}`;
      const parameters = [id, wallet.id, userLabel, key.id, key.isSession ? 1 : 0, lines.length, sumOf(lines), unixSeconds(clock)];
      await database.transaction(async (tx) => {
        await requireGuards(tx, [walletGuard(wallet.id, 'sendWithinLimits'), ...guards]);
        if (((await tx.first(sql.countRunning, wallet.id))?.n ?? 0) >= MAX_RUNNING) throw new Refusal('too_many_payments', TOO_MANY);
        await writeRows(tx, [
          { statement: sql.insertPayout, parameters, onMiss: notStored },
          taskOf(id, wallet.accountId),
          ...extraRows(id),
        ]);
        await writeManyRows(
          tx,
          lines.map((line, index) => lineRow(id, index, line)),
        );
      });
      tasks.wake(PAYOUTS);
      return find(wallet, id);
    },

    /** Stops the lines that have not started. @throws Refusal `not_found` */
    async cancel(wallet: Wallet, id: string, guards: readonly Guard[], rows: readonly RowWrite[]): Promise<Payout> {
      await find(wallet, id);
      await database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        await writeRows(tx, rows);
        if ((await tx.run(sql.markCancelled, id, unixSeconds(clock))) === 0) return;
        await tx.run(sql.failPending, id, 'cancelled', 'The payout was cancelled before this line had started. Nothing was paid.');
        await finish(tx, clock, wallet, id);
      });
      return find(wallet, id);
    },

    /** Returns a payout that is not finished. */
    findRunning: (id: string): Promise<sql.PayoutRow | undefined> => database.first(sql.findRunning, id),

    /** Inserts the tasks of payouts that an earlier version has stored. */
    addMissingTasks: (): Promise<void> =>
      database.transaction(async (tx) => {
        const missing = await tx.all(sql.listWithoutTask, PAYOUTS);
        await writeManyRows(
          tx,
          missing.map(({ id, account_id }) => taskOf(id, account_id)),
        );
      }),
  };
}

const TOO_MANY = `The wallet has ${MAX_RUNNING} payouts that are not finished, the maximum. Wait until one of them has ended, or cancel one.`;

/** Marks a payout whose last line has ended, with its event. Changes nothing otherwise. @returns whether it is finished now */
export async function finish(tx: Tx, clock: Clock, wallet: Wallet, id: string): Promise<boolean> {
  if ((await tx.run(sql.markFinished, id, unixSeconds(clock))) === 0) return false;
  const row = requireFound(await tx.first(sql.findPayout, id, wallet.id));
  const [payout] = countLines([row], await tx.all(sql.sumLines, [id]));
  const { userLabel = '', counts, paidMsat } = payout ?? {};
  const data = { payout: { id, user_label: userLabel, num_paid: counts?.paid, num_failed: counts?.failed, paid_msat: paidMsat } };
  await writeRows(tx, [eventRow(clock, { type: 'payout_finished', owner: wallet, subject: id, data })]);
  return true;
}

/** What the payments of a payout need of the key that ordered it. */
export interface PayoutRights {
  readonly guards: readonly Guard[];
  readonly limits: Key['limits'];
  readonly lineageId: string | undefined;
}

/**
 * Returns the rights of the key that ordered a payout, or of the key that replaced it; undefined if it is no longer valid. A person authorizes the order
 * when it is placed, so the end of the session stops nothing. The state of the wallet and its account is checked with each payment.
 */
export async function findRights(accounts: Accounts, { keyId, isSession }: sql.PayoutRow): Promise<PayoutRights | undefined> {
  if (isSession === 1) return { guards: [], limits: undefined, lineageId: undefined };
  const key = await accounts.findById(keyId);
  if (!key || !(await accounts.isLineageValid(key))) return undefined;
  return { guards: [lineageGuard(key, () => new Refusal('unauthorized', KEY_ENDED))], ...termsOfKey(key) };
}

export const KEY_ENDED = 'The key that ordered the payout has ended. This line was not paid.';

function countLines(rows: readonly sql.PayoutRow[], sums: readonly sql.LineSumRow[]): Payout[] {
  return rows.map((row) => {
    const own = sums.filter(({ payout_id }) => payout_id === row.id);
    const count = (state: sql.LineState) => own.find((sum) => sum.state === state)?.n ?? 0;
    const counts = { pending: count('pending'), sending: count('sending'), paid: count('paid'), failed: count('failed') };
    return { ...row, counts, paidMsat: own.find(({ state }) => state === 'paid')?.amount_msat ?? 0 };
  });
}

/** @throws Refusal `limit_exceeded` if the sum is no amount */
function sumOf(lines: readonly NewLine[]): Msat {
  let sumMsat = 0;
  for (const { amountMsat } of lines) {
    sumMsat += amountMsat;
    if (sumMsat > MAX_MSAT) throw new Refusal('limit_exceeded', 'The sum of the lines must be at most 2^53 - 1 millisatoshis.');
  }
  return msat(sumMsat);
}

function lineRow(payoutId: string, index: number, line: NewLine): RowWrite {
  const { kind, destination, amountMsat, memo = null, message = null, feeLimitMsat = null, passThru = null, fiat } = line;
  const parameters = [
    payoutId,
    index,
    kind,
    destination,
    amountMsat,
    memo,
    message,
    feeLimitMsat,
    passThru,
    fiat ? JSON.stringify(fiat) : null,
  ];
  return { statement: sql.insertLine, parameters, onMiss: notStored };
}

function notStored(): Error {
  return new Error('the payout was not stored');
}

/** @throws Refusal unless the text is the number of a line */
function readLineNumber(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new Refusal('validation_failed', '`after` must be the number of a line of this payout.');
}
