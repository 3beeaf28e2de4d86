import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CommitUnknown } from '../../src/core/db/errors.ts';
import { markBooked } from '../../src/core/kernel/booking-mark.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { createServer } from '../../src/http/server.ts';

/** Returns the status of a request, and how often it waited for earlier commits. */
async function responseOf(method: 'GET' | 'DELETE', handler: () => unknown, outcome: () => Promise<void> = async () => undefined) {
  let waits = 0;
  const ensureDurable = () => {
    waits += 1;
    return outcome();
  };
  const options = { ensureDurable, recordDatabaseError: () => 'outcome unknown' as const };
  const app = createServer(
    pino({ level: 'silent' }),
    (server) => void server.route({ method, url: '/v1/keys/:id', handler: async () => handler() }),
    options,
  );
  const { statusCode } = await app.inject({ method, url: '/v1/keys/1' });
  await app.close();
  return { statusCode, waits };
}

const done = () => ({ status: 'revoked' });

it('B7: confirms a change that was found already made only after a commit', async () => {
  expect(await responseOf('DELETE', done)).toEqual({ statusCode: 200, waits: 1 });
  expect(await responseOf('DELETE', done, () => Promise.reject(new CommitUnknown()))).toEqual({ statusCode: 500, waits: 1 });
});

it('does not wait for another commit after its own, for a rejection, or for a read', async () => {
  const booked = () => {
    markBooked();
    return done();
  };
  const rejected = () => {
    throw new Refusal('not_found');
  };
  expect(await responseOf('DELETE', booked)).toEqual({ statusCode: 200, waits: 0 });
  expect((await responseOf('DELETE', rejected)).waits).toBe(0);
  expect(await responseOf('GET', done)).toEqual({ statusCode: 200, waits: 0 });
});
