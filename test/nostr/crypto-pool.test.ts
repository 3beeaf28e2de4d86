import { afterEach, expect, it } from 'vitest';
import { createNostrCrypto, type EncryptionScheme, type NostrCrypto, NostrCryptoBusy } from '../../src/core/nostr/crypto-pool.ts';
import { type NostrEvent, publicKeyOf, signEvent, verifyEvent } from '../../src/core/nostr/event.ts';

const [SERVICE, CLIENT, STRANGER] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array, Uint8Array];
const SCHEMES: readonly EncryptionScheme[] = ['nip44_v2', 'nip04'];
const pools: NostrCrypto[] = [];

function pool(options: Parameters<typeof createNostrCrypto>[0] = {}): NostrCrypto {
  const created = createNostrCrypto(options);
  pools.push(created);
  return created;
}

afterEach(async () => {
  for (const one of pools.splice(0)) await one.close();
});

function sealTo(crypto: NostrCrypto, scheme: EncryptionScheme, plaintext: string): Promise<NostrEvent> {
  const template = { kind: 23194, created_at: 1_700_000_000, tags: [['p', publicKeyOf(SERVICE)]] };
  return crypto.seal({ template, secretKey: CLIENT, recipient: publicKeyOf(SERVICE), scheme, plaintext });
}

it.each(SCHEMES)('opens for the recipient alone an event sealed with %s', async (scheme) => {
  const crypto = pool();
  const event = await sealTo(crypto, scheme, '{"method":"get_info"}');
  expect(event).toMatchObject({ kind: 23194, created_at: 1_700_000_000, tags: [['p', publicKeyOf(SERVICE)]], pubkey: publicKeyOf(CLIENT) });
  expect(event.content).not.toContain('get_info');
  expect(verifyEvent(event)).toBe(true);
  expect(await crypto.open({ event, secretKey: SERVICE, scheme })).toBe('{"method":"get_info"}');
  expect(await crypto.open({ event, secretKey: STRANGER, scheme: 'nip44_v2' })).toBeUndefined();
});

it.each(SCHEMES)('opens no forged event that is encrypted with %s', async (scheme) => {
  const crypto = pool();
  const event = await sealTo(crypto, scheme, 'pay');
  const other = await sealTo(crypto, scheme, 'do not pay');
  const forgeries: NostrEvent[] = [
    { ...event, content: other.content },
    { ...event, sig: other.sig },
    { ...event, id: other.id, sig: other.sig },
    { ...event, created_at: event.created_at + 1 },
    { ...event, pubkey: publicKeyOf(STRANGER) },
    { ...event, pubkey: 'f'.repeat(64) },
  ];
  const opened = await Promise.all(forgeries.map((one) => crypto.open({ event: one, secretKey: SERVICE, scheme })));
  expect(opened).toEqual(forgeries.map(() => undefined));
});

it('opens no event of the other scheme, or whose content is not encrypted', async () => {
  const crypto = pool();
  const plain = signEvent({ kind: 23194, created_at: 5, tags: [], content: 'pay' }, CLIENT);
  for (const scheme of SCHEMES) expect(await crypto.open({ event: plain, secretKey: SERVICE, scheme })).toBeUndefined();
  const sealed = await sealTo(crypto, 'nip04', 'pay');
  expect(await crypto.open({ event: sealed, secretKey: SERVICE, scheme: 'nip44_v2' })).toBeUndefined();
});

it('signs and verifies events', async () => {
  const crypto = pool();
  const event = await crypto.sign({ kind: 1, created_at: 5, tags: [], content: 'coffee' }, SERVICE);
  expect(await crypto.verify(event)).toBe(true);
  expect(await crypto.verify({ ...event, content: 'tea' })).toBe(false);
});

it('rejects a text that is too long and a recipient that is not a key, and continues', async () => {
  const crypto = pool({ threads: 1 });
  await expect(sealTo(crypto, 'nip44_v2', 'x'.repeat(65_536))).rejects.toThrow('65536 bytes');
  const template = { kind: 1, created_at: 5, tags: [] };
  const sealed = crypto.seal({ template, secretKey: CLIENT, recipient: 'f'.repeat(64), scheme: 'nip44_v2', plaintext: 'x' });
  await expect(sealed).rejects.toThrow('not a public key');
  await expect(crypto.sign({ ...template, content: '' }, new Uint8Array(32))).rejects.toThrow();
  expect(await sealTo(crypto, 'nip44_v2', 'x')).toMatchObject({ kind: 23194 });
});

it('rejects the events for which no place is in the queue, and runs the others', async () => {
  const crypto = pool({ threads: 1, maxWaiting: 3 });
  const results = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => sealTo(crypto, 'nip44_v2', `${index}`)));
  const outcomes = results.map((result) => (result.status === 'fulfilled' ? 'sealed' : result.reason.constructor));
  expect(outcomes).toEqual([...Array(4).fill('sealed'), ...Array(4).fill(NostrCryptoBusy)]);
  expect(await sealTo(crypto, 'nip44_v2', 'later')).toMatchObject({ kind: 23194 });
});

it('rejects every event when it is closed', async () => {
  const crypto = pool({ threads: 1 });
  const results = Promise.allSettled(Array.from({ length: 5 }, (_, index) => sealTo(crypto, 'nip44_v2', `${index}`)));
  await crypto.close();
  expect((await results).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  await expect(sealTo(crypto, 'nip44_v2', 'x')).rejects.toThrow(NostrCryptoBusy);
});
