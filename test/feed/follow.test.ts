import { setImmediate as nextCycle } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { UnknownCursor } from '../../src/core/journal/event-log.ts';
import { followLog } from '../../src/core/journal/follow.ts';
import { PER_TURN } from '../../src/core/kernel/turns.ts';
import { silentLog } from '../support/ledger.ts';
import { LogTwin } from '../support/log-twin.ts';

const database = { onCommit: () => () => undefined } as Partial<Database> as Database;

/** Follows the log with several followers until each has handled all events. */
async function followAll(log: LogTwin, followers: number, handled: (follower: number, positions: number[]) => void): Promise<void> {
  const life = new AbortController();
  const last = log.events.at(-1)?.position ?? 0;
  const left = new Set(Array.from({ length: followers }, (_, follower) => follower));
  const follow = (follower: number) =>
    followLog(
      { database, eventLog: log.asLog(), log: silentLog },
      {
        name: 'a follower',
        after: 0,
        signal: life.signal,
        handle({ events, next }) {
          const positions = events.map(({ position }) => position);
          handled(follower, positions);
          if (next === last) left.delete(follower);
          if (left.size === 0) life.abort();
        },
      },
    );
  await Promise.all([...left].map(follow));
}

it('lets other work run between two parts of the log, however many followers read it', async () => {
  const log = new LogTwin();
  for (let i = 0; i < 2000; i += 1) log.append();
  let [cycle, isOver] = [0, false];
  const counting = (async () => {
    for (; !isOver; cycle += 1) await nextCycle();
  })();
  const handledIn = new Map<number, number>();
  await followAll(log, 4, (_, { length }) => handledIn.set(cycle, (handledIn.get(cycle) ?? 0) + length));
  isOver = true;
  await counting;
  expect(Array.from(handledIn.values()).reduce((sum, count) => sum + count, 0)).toBe(4 * 2000);
  expect(Math.max(...handledIn.values())).toBeLessThanOrEqual(PER_TURN.rows);
});

it('continues with the oldest event that is left when those after its position have expired', async () => {
  const log = new LogTwin();
  for (let i = 0; i < 5; i += 1) log.append();
  const read = log.read.bind(log);
  log.oldest = async () => 2;
  log.read = async (query, after, limit) => {
    if (after < 2) throw new UnknownCursor('events after this one have expired');
    return read(query, after, limit);
  };
  const handled: number[] = [];
  await followAll(log, 1, (_, positions) => void handled.push(...positions));
  expect(handled).toEqual([3, 4, 5]);
});
