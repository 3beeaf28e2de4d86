import { afterAll, beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { type Business, fillBusiness } from '../support/business.ts';
import { freshUrls } from '../support/ledger.ts';
import { hashesOf, move } from './contents.ts';

const SETTINGS = { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' };

onFakeNode(
  'a move',
  (app, dialect) => {
    const { client, net } = app;
    const [there, back] = [freshUrls(dialect === 'sqlite' ? 'postgres' : 'sqlite'), freshUrls(dialect)];
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    it('copies every row there and back, and the service continues on each of them', async () => {
      const urls = [app.databaseUrl];
      for (const next of [there, back]) {
        const to = await next();
        const moveOn = async () => {
          const from = urls.at(-1) ?? '';
          const before = await hashesOf(from);
          await move(from, to);
          expect(await hashesOf(to)).toEqual(before);
          expect(await hashesOf(from)).toEqual(before);
          urls.push(to);
        };
        await app.restart(moveOn, { databaseUrl: () => to });
        const wallet = await client.wallet(50_000);
        await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: business.wallet, num_satoshis: 3 });
        expect(await app.problems()).toEqual([]);
      }
    });
  },
  SETTINGS,
);
