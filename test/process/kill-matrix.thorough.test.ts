import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/db/database.ts';
import { startChild } from '../devnet/playground/support/shared.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, runVerify } from '../support/process.ts';
import { sentOf } from './kill-matrix/app-operations.ts';
import { Column, isBegun, isCertain, middlePoints } from './kill-matrix/matrix.ts';
import type { Operation } from './kill-matrix/operation.ts';
import { OPERATIONS } from './kill-matrix/operations.ts';
import { Table } from './kill-matrix/table.ts';

const KEY = `sak_${'killMatrix1'.repeat(3)}`;
const DIALECTS = ['sqlite', 'postgres'] as const;
const ALL = process.env.KILL_MATRIX === 'all';

type Points = Readonly<Record<Dialect, readonly string[]>>;

/**
 * Returns the points of an operation that are tested on a database; with KILL_MATRIX=all, each one on both. Otherwise:
 * - From BEGIN to COMMIT, a kill leaves nothing of a transaction. So these points are tested on each database, but only in the first operation
 *   with their statement.
 * - Every other point is tested in every operation, on one of the databases in turn. The next operation begins with the other database.
 */
function select(operation: Operation, points: Points, dialect: Dialect, tested: Set<string>): readonly string[] {
  if (ALL) return points[dialect];
  const middle = middlePoints(points[dialect]);
  const isTested = (point: string) => tested.has(`${dialect} ${middle.get(point)}`);
  const [first, second] = DIALECTS;
  const shared = points[first].filter((point) => points[second].includes(point));
  const turn = OPERATIONS.indexOf(operation);
  const isOther = (point: string) => shared.includes(point) && DIALECTS[(shared.indexOf(point) + turn) % DIALECTS.length] !== dialect;
  const selected = points[dialect].filter((point) => (middle.has(point) ? !isTested(point) : !isOther(point)));
  for (const statement of middle.values()) tested.add(`${dialect} ${statement}`);
  return selected;
}

describe('kill -9 at every step', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-matrix-'));
  const columns: Column[] = [];
  /** The databases and statements after which a kill was tested. */
  const tested = new Set<string>();
  const grounds = DIALECTS.map((dialect) => ({
    dialect,
    urls: freshUrls(dialect),
    node: startChild('src/cli/satchel.ts', ['playground'], {
      DATA_DIR: join(folder, dialect, 'node'),
      PLAYGROUND_PORT: '0',
      LOG_LEVEL: 'error',
    }),
  }));

  beforeAll(async () => {
    const opening = grounds.map(async ({ dialect, urls, node }) => {
      const [, lightningUrl = ''] = await node.line(/LIGHTNING_URL='(.*)'/);
      const own = await processSettings(join(folder, dialect), await urls());
      return Column.open(dialect, { ...own, BOOTSTRAP_SECRET_KEY: KEY, OUTBOUND_ALLOW: '127.0.0.1', LIGHTNING_URL: lightningUrl });
    });
    columns.push(...(await Promise.all(opening)));
  });
  afterAll(async () => {
    await Promise.all(columns.map(({ lane }) => lane.close()));
    await Promise.all(grounds.map(({ node }) => node.end('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  });

  /** Stops at the first failing point, because the state of the ledger would make later points fail as well. */
  async function killAtEach(column: Column, operation: Operation, points: Points, table: Table): Promise<void> {
    const { dialect } = column.lane;
    for (const point of select(operation, points, dialect, tested)) {
      try {
        const { killed, outcome } = await column.run(operation, point);
        table.set(point, dialect, killed ? outcome : 'not passed');
        // The rounds of a task depend on the time.
        if (!operation.usesTasks && isCertain(point)) expect(killed, 'a point that was passed once is passed again').toBe(true);
        if (operation.moves !== 'none')
          expect(outcome).toBe(!killed || isBegun(operation, points[dialect], point) ? operation.ends : 'nothing');
      } catch (error) {
        table.set(point, dialect, 'WRONG');
        throw new Error(`${dialect}, killed at “${point}”: ${(error as Error).message}\n${table}`, { cause: error });
      }
    }
  }

  for (const operation of OPERATIONS) {
    it(`S1: ${operation.name}: settled or failed, once, after a kill at any step`, async () => {
      const [sqlite = [], postgres = []] = await Promise.all(columns.map((column) => column.discover(operation)));
      const points = { sqlite, postgres };
      const table = new Table(operation.name, [...new Set([...postgres, ...sqlite])]);
      const kills = await Promise.allSettled(columns.map((column) => killAtEach(column, operation, points, table)));
      if (ALL) process.stdout.write(`${table}\n`);
      for (const kill of kills) if (kill.status === 'rejected') throw kill.reason;
      // The test needs dozens of starts. Each wait in them has its own limit.
    }, 1_800_000);
  }

  it('has answered each request of an app once, and sent one receipt of each zap, after all the starts', () => {
    for (const { lane } of columns) expect(sentOf(lane).filter((times) => times !== 1)).toEqual([]);
  });

  it('F9: keeps the ledger clean', async () => {
    const verified = await Promise.all(columns.map(({ lane }) => runVerify(lane.settings)));
    for (const { output, code } of verified) {
      expect(output).toContain('The ledger is clean.');
      expect(code).toBe(0);
    }
  });
});
