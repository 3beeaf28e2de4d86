import { describe, expect, it } from 'vitest';
import { eventId, type NostrEvent } from '../../src/core/nostr/event.ts';
import { admit } from '../../src/features/nwc/admission.ts';
import type { Connection } from '../../src/features/nwc/connections.ts';
import type { ServedConnections } from '../../src/features/nwc/served-connections.ts';

const NOW = 1_800_000_000;
const [SERVICE, APP, STRANGER] = ['a1', 'b2', 'c3'].map((byte) => byte.repeat(32)) as [string, string, string];
const FOUND = { connection: { id: 'con_1', clientPubkey: APP } as Connection, revokedAt: undefined };

/** Returns why an event of the app is ignored; undefined if it is admitted. */
function reasonFor(changes: Partial<NostrEvent>, isWithinRate = true): string | undefined {
  const unsigned = { pubkey: APP, created_at: NOW, kind: 23_194, tags: [['p', SERVICE]], content: '', sig: '', ...changes };
  const event = { ...unsigned, id: eventId(unsigned) };
  const find = (pubkey: string) => (pubkey === SERVICE ? FOUND : undefined);
  const served = { find, takeEvent: () => isWithinRate } as unknown as ServedConnections;
  const admitted = admit(event, served, { relay: 'wss://relay', nowSeconds: NOW, maxAgeSeconds: 600 });
  return typeof admitted === 'string' ? admitted : undefined;
}

const tagged = (expiration: number): Partial<NostrEvent> => ({
  tags: [
    ['p', SERVICE],
    ['expiration', String(expiration)],
  ],
});

describe('an event of an app', () => {
  it.each<[string, Partial<NostrEvent>, string | undefined]>([
    ['admits one of this second', {}, undefined],
    ['admits one that is 600 seconds old', { created_at: NOW - 600 }, undefined],
    ['ignores one that is 601 seconds old', { created_at: NOW - 601 }, 'too_old'],
    ['admits one that is 60 seconds ahead', { created_at: NOW + 60 }, undefined],
    ['ignores one that is 61 seconds ahead', { created_at: NOW + 61 }, 'in_future'],
    ['admits one that expires in a second', tagged(NOW + 1), undefined],
    ['ignores one that expires now', tagged(NOW), 'expired'],
    ['ignores one of another author', { pubkey: STRANGER }, 'wrong_author'],
    ['ignores one for another key', { tags: [['p', STRANGER]] }, 'not_addressed'],
    ['ignores one of another kind', { kind: 1 }, 'not_addressed'],
    ['admits one with 90,000 characters', { content: 'x'.repeat(90_000) }, undefined],
    ['ignores one with 90,001 characters', { content: 'x'.repeat(90_001) }, 'too_large'],
  ])('%s', (_title, changes, reason) => {
    expect(reasonFor(changes)).toBe(reason);
  });

  it('ignores one beyond the rate of its app', () => {
    expect(reasonFor({}, false)).toBe('too_many');
  });
});
