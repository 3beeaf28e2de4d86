import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sharedX, xOnlyKeyOf } from '../../src/core/kernel/secp256k1.ts';
import { signEvent, verifyEvent } from '../../src/core/nostr/event.ts';

const SECRET = new Uint8Array(32).fill(1);

it('thousands of events with impossible keys and signatures leave every other one verifiable', () => {
  const good = signEvent({ kind: 1, created_at: 5, tags: [], content: 'coffee' }, SECRET);
  // Each kind may take another path through the library, which may leak something.
  const random = (length: number, seed: string) => createHash('shake256', { outputLength: length }).update(seed).digest('hex');
  const offCurve = `${'0'.repeat(63)}5`;
  for (let i = 0; i < 6000; i += 1) {
    for (const pubkey of [offCurve, random(32, `key ${i}`), 'f'.repeat(64)]) {
      expect(verifyEvent({ ...good, pubkey })).toBe(false);
      sharedX(SECRET, Buffer.from(pubkey, 'hex'));
    }
    expect(verifyEvent({ ...good, sig: random(64, `signature ${i}`) })).toBe(false);
    expect(verifyEvent({ ...good, sig: offCurve + random(32, `s ${i}`) })).toBe(false);
  }
  expect(verifyEvent(good)).toBe(true);
  expect(sharedX(SECRET, xOnlyKeyOf(new Uint8Array(32).fill(2)))).toHaveLength(32);
});
