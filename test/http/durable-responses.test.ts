import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CommitUnknown } from '../../src/core/db/errors.ts';
import { markBooked } from '../../src/core/kernel/booking-mark.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { WITHOUT_COMMIT } from '../../src/http/responses/durable.ts';
import { createServer } from '../../src/http/server.ts';
import { committedApi, operationsOf } from '../openapi/conformance/operations.ts';

/** Returns the status of a request, and how often it waited for earlier commits. */
async function responseOf(
  method: 'GET' | 'DELETE' | 'POST',
  handler: () => unknown,
  outcome: () => Promise<void> = async () => undefined,
  url = '/v1/keys/:id',
) {
  let waits = 0;
  const ensureDurable = () => {
    waits += 1;
    return outcome();
  };
  const options = { ensureDurable, recordDatabaseError: () => 'outcome unknown' as const };
  const app = createServer(
    pino({ level: 'silent' }),
    (server) => void server.route({ method, url, handler: async () => handler() }),
    options,
  );
  const { statusCode } = await app.inject({ method, url: url.replace(':id', '1') });
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

it('returns the state of an unsigned login while commits are stalled', async () => {
  const stalled = () => Promise.reject(new CommitUnknown());
  for (const route of WITHOUT_COMMIT)
    expect(await responseOf('POST', () => ({ status: 'open' }), stalled, route.split(' ')[1])).toEqual({ statusCode: 200, waits: 0 });
});

it('waits on every route that changes something, except those that poll for a signature', () => {
  const polls = operationsOf(committedApi()).filter(({ method, operation }) => method === 'POST' && operation.responses['202']);
  // A stored decision about a hold invoice waits like every other change.
  const open = polls.filter(({ fields, path }) => !fields.some(({ name }) => name === 'Prefer') && !path.startsWith('/v1/lntx/'));
  const named = open.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  expect([...WITHOUT_COMMIT].sort()).toEqual(named.sort());
});
