import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type LoggedEvent, START } from '../../src/core/journal/event-log.ts';
import type { EventType } from '../../src/core/journal/event-types.ts';
import { createEventTexts, eventFrames } from '../../src/features/events/event-frames.ts';
import { LogTwin } from '../support/log-twin.ts';

const TYPES = ['wallet_receive', 'wallet_send'] as const;

/** A client that requests frames only while `read` runs. */
function reader(log: LogTwin, types: ReadonlySet<EventType> | undefined, after: LoggedEvent | undefined, isFromStart: boolean) {
  const eventTexts = async (events: readonly LoggedEvent[]) => events.map(({ id }) => JSON.stringify({ id }));
  const stop = new AbortController();
  const start = isFromStart ? START : after?.position;
  const scope = { accountId: 'acc_1' };
  const frames = eventFrames({ feed: log.asFeed(), eventLog: log.asLog(), eventTexts }, { scope, types, after: start }, stop.signal);
  const ids: string[] = [];
  let isWaiting = false;
  return {
    ids,
    stop: () => stop.abort(),
    async read(count: number): Promise<void> {
      for (let i = 0; i < count; i++) {
        if (!isWaiting) {
          isWaiting = true;
          void frames.next().then(({ value }) => {
            isWaiting = false;
            const id = /^data: \{"id":"(.*)"\}$/m.exec(value ?? '')?.[1];
            if (id !== undefined) ids.push(id);
          });
        }
        await nextTurn();
      }
    },
  };
}

it('frames every event once and in order, however slowly the client and the feed are', async () => {
  const step = fc.record({
    kind: fc.constantFrom('append', 'dispatch', 'read'),
    count: fc.oneof(fc.nat(5), fc.constant(300)),
    type: fc.constantFrom(...TYPES),
  });
  const run = fc.asyncProperty(
    fc.array(step, { maxLength: 20 }),
    fc.nat(10),
    fc.constantFrom('new', 'after', 'start'),
    fc.boolean(),
    async (steps, before, from, isFiltered) => {
      const log = new LogTwin();
      for (let i = 0; i < before; i++) log.append();
      log.dispatch(before / 2);
      const types = isFiltered ? new Set<EventType>(['wallet_send']) : undefined;
      const first = from === 'after' ? log.events[0] : undefined;
      const client = reader(log, types, first, from === 'start' || (from === 'after' && !first));
      await client.read(2);
      for (const { kind, count, type } of steps) {
        if (kind === 'append') for (let i = 0; i < count; i++) log.append(type);
        else if (kind === 'dispatch') log.dispatch(count);
        else await client.read(count);
      }
      log.dispatch(log.events.length);
      await client.read(log.events.length + 20);
      const missing = from === 'new' ? before : from === 'after' && first ? 1 : 0;
      const expected = log.events.slice(missing).filter(({ type }) => !types || types.has(type));
      expect(client.ids).toEqual(expected.map(({ id }) => id));
      client.stop();
    },
  );
  await fc.assert(run, { numRuns: 100 });
});

it('reads the log again for a client that is far behind, and keeps few events for it', async () => {
  const log = new LogTwin();
  const client = reader(log, undefined, undefined, false);
  await client.read(1);
  const before = log.reads;
  for (let i = 0; i < 5000; i++) log.append();
  for (let i = 0; i < 50; i++) log.dispatch(100);
  await client.read(5100);
  expect(client.ids).toEqual(log.events.map(({ id }) => id));
  expect(log.reads - before).toBeGreaterThan(20);
  client.stop();
});

it('ends and stops listening when the signal aborts', async () => {
  const log = new LogTwin();
  const client = reader(log, undefined, undefined, false);
  await client.read(2);
  expect(log.listeners.size).toBe(1);
  client.stop();
  await nextTurn();
  expect(log.listeners.size).toBe(0);
});

it('renders each event once for all streams, and again after an error', async () => {
  const log = new LogTwin();
  const [a, b, c] = [log.append(), log.append(), log.append()];
  const rendered: string[] = [];
  let fails = true;
  const texts = createEventTexts(async (events) => {
    await nextTurn();
    if (fails) throw new Error('the database is away');
    rendered.push(...events.map(({ id }) => id));
    return events.map(({ id }) => ({ id }));
  });
  const failed = await Promise.allSettled([texts([a, b]), texts([b])]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  const text = ({ id }: LoggedEvent) => JSON.stringify({ id });
  expect(await Promise.all([texts([a, b]), texts([b, c]), texts([c, a])])).toEqual([
    [text(a), text(b)],
    [text(b), text(c)],
    [text(c), text(a)],
  ]);
  expect(rendered.sort()).toEqual([a.id, b.id, c.id].sort());
});
