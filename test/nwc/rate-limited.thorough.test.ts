import { afterAll, expect, it } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { onFakeNodeOf } from '../support/app.ts';
import { connectApp } from '../support/nwc.ts';
import { QUICK } from './timing.ts';

const relay = await startRelay();
afterAll(() => relay.stop());

/** More than may wait: 1,000 of the account, and 1,000 that the app may send later. Eight at a time wait for the node, which does not respond. */
const FLOOD = 2200;

onFakeNodeOf(
  {
    name: 'an app beyond its limits',
    dialect: 'sqlite',
    settings: { NWC_RELAYS: relay.url, PAYMENT_WAIT_SECONDS: '60' },
    jobTiming: QUICK,
  },
  ({ client, neighbour, net, rows, problems }) => {
    it('gets RATE_LIMITED, pays nothing with such a request when it is sent again, and leaves other apps alone', async () => {
      const [wallet, other] = [await client.wallet(1000), await neighbour.wallet(1000)];
      const [app, stranger] = [await connectApp(client, wallet.id), await connectApp(neighbour, other.id)];
      net.always('createInvoice', { hang: true });
      const flood = Array.from({ length: FLOOD }, () => app.request('make_invoice', { amount: 1000 }));
      const payments = Array.from({ length: 5 }, () =>
        app.request('pay_invoice', { invoice: net.outside.invoice({ amountMsat: 1000 }).paymentRequest }),
      );
      for (const event of [...flood, ...payments]) relay.store(event);
      for (const event of payments)
        expect((await app.responseTo(event)).error).toMatchObject({
          code: 'RATE_LIMITED',
          message: expect.stringContaining('Nothing was done'),
        });
      expect((await stranger.call('get_balance')).result).toMatchObject({ balance: 1_000_000 });
      for (const event of payments) await app.send(event);
      await stranger.call('get_info');
      expect(await rows('SELECT id FROM payment WHERE wallet_id = $1', wallet.id)).toEqual([]);
      net.always('createInvoice', undefined);
      for (const one of [app, stranger]) one.close();
      expect(await problems()).toEqual([]);
    });
  },
);
