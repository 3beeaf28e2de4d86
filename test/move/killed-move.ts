import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseMoved } from '../../src/core/db/errors.ts';
import { MIGRATIONS, requireMigrated } from '../../src/core/db/migrate.ts';
import { requireNotMoved } from '../../src/core/db/move-facts.ts';
import { openDatabase } from '../../src/core/db/open.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'cli', 'satchel.ts');
const silentLog = { info() {}, warn() {}, error() {} };

export interface KilledMove {
  readonly from: string;
  readonly to: string;
  readonly kills: number;
  /** Returns how long the next run lives. */
  lifeMs(): number;
  onRun?(text: string): void;
}

/**
 * Moves a database with `satchel move`, which is killed a number of times, and then runs to its end.
 * @returns how often it was killed
 * @throws when both databases can be used at a moment, or none although the command does not continue
 */
export async function moveWithKills({ from, to, kills, lifeMs, onRun = () => {} }: KilledMove): Promise<number> {
  let killed = 0;
  while (killed < kills) {
    const startMs = performance.now();
    const run = spawnMove(from, to);
    const life = new AbortController();
    const code = await Promise.race([run.ended, delay(lifeMs(), 'alive' as const, { signal: life.signal }).catch(() => undefined)]);
    life.abort();
    if (code === 'alive') {
      run.child.kill('SIGKILL');
      await run.ended;
      killed += 1;
    } else if (code !== 0) throw new Error(`satchel move ended with ${code}: ${run.output()}`);
    const usable = [await isUsable(from), await isUsable(to)];
    onRun(`killed ${killed} after ${Math.round(performance.now() - startMs)} ms, usable: ${usable.join(' ')}`);
    if (usable[0] && usable[1]) throw new Error('both databases can be used');
    // It ended before the kill.
    if (usable[1]) return killed;
  }
  const run = spawnMove(from, to);
  const code = await run.ended;
  if (code !== 0) throw new Error(`satchel move ended with ${code}: ${run.output()}`);
  if ((await isUsable(from)) || !(await isUsable(to))) throw new Error('the move has not ended');
  return killed;
}

function spawnMove(from: string, to: string) {
  const child = spawn(process.execPath, [PROGRAM, 'move', '--yes'], {
    env: { ...process.env, DATABASE_URL: from, TARGET_DATABASE_URL: to },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (text) => (printed += text));
  child.stderr.on('data', (text) => (printed += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, output: () => printed };
}

/** Whether the service would start. */
async function isUsable(url: string): Promise<boolean> {
  const database = await openDatabase(url, { readOnly: true, log: silentLog }).catch(() => undefined);
  if (!database) return false;
  try {
    await requireMigrated(database, MIGRATIONS);
    await requireNotMoved(database);
    return true;
  } catch (error) {
    if (error instanceof DatabaseMoved || (error as Error).name === 'SchemaMismatch') return false;
    throw error;
  } finally {
    await database.close();
  }
}
