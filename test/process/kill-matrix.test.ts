import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/db/database.ts';
import { startChild } from '../lightning/playground/support/shared.ts';
import { freshUrls } from '../support/databases.ts';
import { processSettings, runVerify } from '../support/process.ts';
import { Column, isBegun } from './kill-matrix/matrix.ts';
import { OPERATIONS, type Operation } from './kill-matrix/operations.ts';

const KEY = `sak_${'killMatrix1'.repeat(3)}`;
const DIALECTS = ['sqlite', 'postgres'] as const;
const ALL = process.env.KILL_MATRIX === 'all';

/** Every point on one of the databases at least, in turn; with KILL_MATRIX=all on both. */
function selected(points: Readonly<Record<Dialect, readonly string[]>>, dialect: Dialect): readonly string[] {
  if (ALL) return points[dialect];
  const [first, second] = DIALECTS;
  const shared = points[first].filter((point) => points[second].includes(point));
  return points[dialect].filter((point) => !shared.includes(point) || DIALECTS[shared.indexOf(point) % DIALECTS.length] === dialect);
}

describe('kill -9 at every step', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-matrix-'));
  const columns: Column[] = [];
  const table: string[] = [];
  const grounds = DIALECTS.map((dialect) => ({
    dialect,
    urls: freshUrls(dialect),
    node: startChild('src/cli/playground.ts', [], { DATA_DIR: join(folder, dialect, 'node'), PLAYGROUND_PORT: '0', LOG_LEVEL: 'error' }),
  }));

  beforeAll(async () => {
    const opening = grounds.map(async ({ dialect, urls, node }) => {
      const [, lightningUrl = ''] = await node.line(/LIGHTNING_URL='(.*)'/);
      const own = await processSettings(join(folder, dialect), await urls());
      return Column.open(dialect, { ...own, LIGHTNING_URL: lightningUrl, BOOTSTRAP_SECRET_KEY: KEY });
    });
    columns.push(...(await Promise.all(opening)));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(columns.map(({ lane }) => lane.close()));
    rmSync(folder, { recursive: true, force: true });
    process.stdout.write(`${table.join('\n')}\n`);
  });

  async function killAtEach(column: Column, operation: Operation, points: readonly string[], chosen: readonly string[]): Promise<string[]> {
    const { dialect } = column.lane;
    const wrong: string[] = [];
    for (const point of chosen) {
      const row = `${operation.name} · ${dialect} · ${point}`;
      try {
        const { killed, outcome } = await column.run(operation, point);
        table.push(`${row} → ${killed ? outcome : `not passed, ${outcome}`}`);
        expect(killed, 'the point is passed again').toBe(true);
        if (operation.moves !== 'none') expect(outcome).toBe(isBegun(operation, points, point) ? operation.ends : 'nothing');
      } catch (error) {
        wrong.push(`${row}: ${(error as Error).message}`);
        // What the service or the database has become by now is not known: the rest would only repeat it.
        break;
      }
    }
    return wrong;
  }

  for (const operation of OPERATIONS) {
    it(`S1: ${operation.name}: settled or failed, once, wherever it is killed`, async () => {
      const [sqlite = [], postgres = []] = await Promise.all(columns.map((column) => column.discover(operation)));
      const points = { sqlite, postgres };
      const wrong = await Promise.all(
        columns.map((column) => {
          const { dialect } = column.lane;
          return killAtEach(column, operation, points[dialect], selected(points, dialect));
        }),
      );
      expect(wrong.flat()).toEqual([]);
    }, 300_000);
  }

  it('F9: and the ledger is clean', async () => {
    const verified = await Promise.all(columns.map(({ lane }) => runVerify(lane.settings)));
    for (const { output, code } of verified) {
      expect(output).toContain('The ledger is clean.');
      expect(code).toBe(0);
    }
  }, 60_000);
});
