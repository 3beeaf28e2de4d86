import { describe, expect, it } from 'vitest';
import { SatchelError } from '../../client/satchel.js';
import { createIdempotent } from '../../web/src/api/idempotent.ts';

const refusal = (status: number, type: string) => Reflect.construct(SatchelError, [status, { type, message: '', request_id: 'req' }]);

/** Sends one request per outcome, and returns which key each had: `[0, 0, 1]` if the last one had another. */
async function keysOf(outcomes: readonly unknown[], options = {}): Promise<number[]> {
  const idempotent = createIdempotent(options);
  const keys: string[] = [];
  for (const outcome of outcomes) {
    const send = async ({ idempotencyKey }: { idempotencyKey: string }) => {
      keys.push(idempotencyKey);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    };
    await idempotent(send).catch(() => undefined);
  }
  const different = [...new Set(keys)];
  return keys.map((key) => different.indexOf(key));
}

const LOST = new TypeError('Failed to fetch');

describe('a request', () => {
  it('has a key of 128 bits', async () => {
    expect(await createIdempotent()(async ({ idempotencyKey }) => idempotencyKey)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('has one key until it was executed, and after it', async () => {
    expect(await keysOf([LOST, refusal(500, 'internal_error'), refusal(503, 'node_unavailable'), 'done', 'done'])).toEqual([0, 0, 0, 0, 0]);
  });

  it.each([
    [400, 'validation_failed'],
    [401, 'unauthorized'],
    [409, 'email_taken'],
    [422, 'idempotency_mismatch'],
    [429, 'rate_limited'],
  ])('keeps its key after a %i, also when its fields were changed after a lost response', async (status, type) => {
    expect(await keysOf([LOST, refusal(status, type), 'done'])).toEqual([0, 0, 0]);
  });

  it('has another key after the refusal of an action, which the service stores under the key', async () => {
    expect(await keysOf([LOST, refusal(409, 'action_refused'), 'done'])).toEqual([0, 0, 1]);
  });

  it('has another key after a success if it is repeatable', async () => {
    expect(await keysOf([LOST, 'done', LOST, 'done'], { isRepeatable: true })).toEqual([0, 0, 1, 1]);
  });
});
