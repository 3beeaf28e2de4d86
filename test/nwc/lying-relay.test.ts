import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { systemClock, unixSeconds } from '../../src/core/kernel/clock.ts';
import { type NostrEvent, publicKeyOf, signEvent } from '../../src/core/nostr/event.ts';
import { admit } from '../../src/features/nwc/admission.ts';
import type { Connection, Connections } from '../../src/features/nwc/connections.ts';
import { ServedConnections } from '../../src/features/nwc/served-connections.ts';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';
import { QUICK } from './timing.ts';

// The first one is that of the apps.
const [honest, lying] = await Promise.all([startRelay(), startRelay()]);
afterAll(() => Promise.all([honest, lying].map((relay) => relay.stop())));

/** Returns a copy with another signature, which is not valid. */
const forged = (event: NostrEvent): NostrEvent => ({ ...event, sig: randomBytes(64).toString('hex') });

onFakeNode(
  'a relay that forges events',
  ({ client, net, problems }) => {
    let wallet: TestWallet;
    let app: NwcApp;
    const payment = (changes = {}) =>
      app.request('pay_invoice', { invoice: net.outside.invoice({ amountMsat: 1000, memo: 'fee=0' }).paymentRequest }, changes);

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      app = await connectApp(client, wallet.id);
      await app.call('get_info');
    });

    afterAll(() => app.close());

    it('does not hide the requests that another relay delivers, whatever it changes of its copies', async () => {
      const events = Array.from({ length: 6 }, () => payment());
      for (const event of events) {
        lying.store(forged(event));
        // The relay in this process has them with their ids, so a further copy needs another one.
        lying.store({ ...event, id: randomBytes(32).toString('hex') });
        honest.store(event);
      }
      for (const event of events) expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
      expect(events.map((event) => app.responsesTo(event).length)).toEqual(events.map(() => 1));
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(994);
      expect(await problems()).toEqual([]);
    });

    it('does not use up the requests that the app may send', async () => {
      // More than an app may send at once.
      const createdAt = unixSeconds(systemClock);
      for (let i = 0; i < 600; i += 1) {
        const event = { ...payment({ createdAt, content: randomBytes(150).toString('base64') }) };
        lying.store(forged(event));
      }
      const event = payment();
      await app.send(event);
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
    });
  },
  { NWC_RELAYS: `${honest.url} ${lying.url}` },
  QUICK,
);

const [appKey, serviceKey] = [randomBytes(32), randomBytes(32)];
const connection = { id: 'nwc_1', clientPubkey: publicKeyOf(appKey), servicePubkey: publicKeyOf(serviceKey), walletId: 'w' } as Connection;

it('admits the events of an app from one relay after another one has sent too many', async () => {
  const served = new ServedConnections({ ofKey: async () => connection } as unknown as Connections);
  await served.update('key', undefined);
  const nowSeconds = 1_800_000_000;
  const event = signEvent({ created_at: nowSeconds, kind: 23_194, tags: [['p', connection.servicePubkey]], content: 'x' }, appKey);
  const admitted = (relay: string, one = event) => admit(one, served, { relay, nowSeconds, maxAgeSeconds: 60 });
  let accepted = 0;
  while (typeof admitted('lying', forged(event)) !== 'string') accepted += 1;
  expect(accepted).toBeGreaterThanOrEqual(5000);
  expect(admitted('lying')).toBe('too_many');
  expect(admitted('honest')).toMatchObject({ connection });
  expect(admitted('honest', { ...event, content: 'y' })).toBe('invalid');
  expect(admitted('honest', { ...event, id: '0'.repeat(64) })).toBe('invalid');
});
