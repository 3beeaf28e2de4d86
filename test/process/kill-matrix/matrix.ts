import { expect } from 'vitest';
import type { HttpResponse } from '../../support/client.ts';
import { Lane, until } from './lane.ts';
import type { Attempt, Operation, Wallets } from './operation.ts';
import { comeToRest, isArriving, judge, type Outcome, resolveHold, restingBalances } from './verdict.ts';

/** A point that only hold invoices have: the receiver holds the payment, and the test kills the process. */
export const HELD = 'held by its receiver';

/** One run of an operation: the point of the kill, whether the process was killed there, and the outcome. */
export interface Run {
  readonly killed: boolean;
  readonly outcome: Outcome;
  readonly passed: readonly string[];
}

/** The part of the matrix on one database. */
export class Column {
  readonly lane: Lane;
  readonly #wallets: Wallets;
  #numSatoshis = 1000;

  private constructor(lane: Lane, wallets: Wallets) {
    this.lane = lane;
    this.#wallets = wallets;
  }

  static async open(dialect: Lane['dialect'], settings: Record<string, string>): Promise<Column> {
    const lane = await Lane.open(dialect, settings);
    return new Column(lane, { payer: await lane.wallet(10_000_000), receiver: await lane.wallet(10_000) });
  }

  /** Returns the points of the operation in their order, without a kill. The ledger's cache is filled by then. */
  async discover(operation: Operation): Promise<readonly string[]> {
    await this.run(operation, undefined);
    const { killed, outcome, passed } = await this.run(operation, undefined);
    expect([killed, outcome]).toEqual([false, operation.ends]);
    // The report, and the background job that credits the payment.
    if (operation.isFinalLater)
      expect(passed).toEqual(expect.arrayContaining(['settlementFinality after', 'settlementFinality after (2)']));
    return operation.hold ? [...passed, HELD] : passed;
  }

  /** Runs the operation with a kill at the point, starts the service again, waits until it is idle, and checks the money. */
  async run(operation: Operation, point: string | undefined): Promise<Run> {
    const { lane } = this;
    await lane.turnPage();
    this.#numSatoshis += 1;
    const attempt = await operation.prepare(lane, this.#wallets, this.#numSatoshis);
    const before = await restingBalances(lane, this.#wallets);
    const armed = await lane.send('arm', point, operation.isFinalLater);
    expect(armed, 'the service lives until the operation begins').toBeDefined();
    let response = await this.#request(operation, attempt, point);
    await this.#untilBooked(operation);
    // A killed service does not respond.
    const report = await lane.send('report');
    if (!report) {
      await resolveHold(lane, operation);
      await lane.restart();
      response = (await this.#recover(operation, attempt)) ?? response;
    }
    await comeToRest(lane, this.#wallets, operation);
    attempt.check?.();
    const outcome = await judge(lane, operation, { attempt, response, before, wallets: this.#wallets });
    return { killed: !report, outcome, passed: report?.passed ?? [] };
  }

  /** Waits for the end of the payment, because the response may come before it, as for a withdraw link. */
  async #untilBooked({ isFinalLater }: Operation): Promise<void> {
    // Its report is stored before the background job can look it up.
    if (isFinalLater) await this.lane.send('rest');
    await until('nothing is held or arriving, or the service is dead', async () => {
      if (isFinalLater && (await isArriving(this.lane, this.#wallets).catch(() => false))) return false;
      const balances = await this.lane.balancesMsat([this.#wallets.payer]).catch(() => undefined);
      return balances?.every(({ pending_msat }) => pending_msat === 0) ?? true;
    });
  }

  /** Returns the response that a client gets after the restart, if it waits for one. */
  async #recover(operation: Operation, { recover }: Attempt): Promise<HttpResponse | undefined> {
    if (!recover) return undefined;
    let isOver = false;
    const recovered = recover().finally(() => {
      isOver = true;
    });
    await until('the client has the outcome', async () => {
      if (!isOver) await resolveHold(this.lane, operation);
      return isOver;
    });
    return recovered;
  }

  async #request(operation: Operation, attempt: Attempt, point: string | undefined): Promise<HttpResponse | undefined> {
    const { lane } = this;
    let ended = false;
    const end = () => {
      ended = true;
    };
    const pending = attempt.request().catch(async (error: Error) => {
      // Only a kill may interrupt a request.
      await until(`the service died, for the request failed: ${error.message}`, async () => ended);
      return undefined;
    });
    void lane.dead.then(end);
    void pending.then(end);
    if (operation.hold) {
      await until('a payment waits at its receiver', async () => {
        if (ended) return true;
        if (point !== HELD) return resolveHold(lane, operation);
        const held = (await lane.truth()).some(({ state }) => state === 'pending');
        if (held) await lane.kill();
        return held;
      });
    }
    return pending;
  }
}

/** Returns whether the operation must have an effect: its first commit holds or moves the money. */
export function isBegun(operation: Operation, points: readonly string[], point: string): boolean {
  return operation.startedBy === 'outside' || point === HELD || points.indexOf(point) >= points.indexOf('tx 1 committed');
}

/** The statements of a transaction depend on the ledger's cache. All other points are passed every time. */
export function isCertain(point: string): boolean {
  return !/^tx \d+ [a-z]+_/.test(point);
}

/** Returns the points of open transactions, from BEGIN to COMMIT, each with the statement before it, or with the first one. */
export function middlePoints(points: readonly string[]): ReadonlyMap<string, string> {
  const middle = new Map<string, string>();
  const newest = new Map<string, { point: string; statement: string }>();
  for (const point of points) {
    const [, transaction, statement] = /^((?:tx|position) \d+) (BEGIN|COMMIT|[a-z]+_\w*)/.exec(point) ?? [];
    if (transaction === undefined || statement === undefined) continue;
    const before = newest.get(transaction);
    if (before?.statement === 'BEGIN') middle.set(before.point, `BEGIN, ${statement}`);
    if (statement === 'COMMIT') middle.set(point, `${before?.statement}, COMMIT`);
    else if (statement !== 'BEGIN') middle.set(point, statement);
    newest.set(transaction, { point, statement });
  }
  return middle;
}
