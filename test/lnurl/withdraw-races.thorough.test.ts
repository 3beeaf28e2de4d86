import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { balancesOf, linkOf, permanentLink, readLink, refused, untilNothingPending, visit } from './claiming-wallet.ts';

reloadModulesAfterFile();

const CLAIMS = 100;

onFakeNode(
  'claims of one withdraw link at once',
  (service, dialect) => {
    const { client, net } = service;
    let second: Client | undefined;

    /** The instances of the service: two on PostgreSQL. */
    const instances = async (): Promise<Client[]> => {
      if (dialect === 'sqlite') return [client];
      second ??= await service.another();
      return [client, second];
    };

    /** Sends 100 claims of different invoices, in turn to each instance and with both tokens. Returns the number of those accepted. */
    async function claimAtOnce(link: Json, amountMsat: number, script: object): Promise<{ accepted: number; hashes: string[] }> {
      const clients = await instances();
      const { balanceCheck } = await visit(link.url);
      const invoices = Array.from({ length: CLAIMS }, () => net.outside.invoice({ amountMsat, script }));
      const responses = await Promise.all(
        invoices.map(({ paymentRequest }, index) => {
          const url = index % 4 < 2 ? link.url : balanceCheck;
          const at = clients[index % clients.length] as Client;
          return visit(`${url.replace(client.url, at.url)}&pr=${paymentRequest}`);
        }),
      );
      for (const response of responses)
        if (response.status !== 'OK') expect(response).toEqual(refused(/used|in progress|daily limit|at most/));
      const hashes = invoices.filter((_, index) => responses[index].status === 'OK').map(({ paymentHash }) => paymentHash);
      return { accepted: hashes.length, hashes };
    }

    async function expectPaid(wallet: TestWallet, beforeMsat: number, link: Json, count: number, eachMsat: number): Promise<void> {
      await untilNothingPending(service, wallet);
      expect(await balancesOf(service, wallet)).toEqual({ balance_msat: beforeMsat - count * eachMsat, pending_msat: 0 });
      expect(await readLink(service, wallet, link.id)).toMatchObject({ claims: count, claimed_msat: count * eachMsat, pending_msat: 0 });
      const received = net.outside.payments().filter(({ state, amountMsat }) => state === 'succeeded' && amountMsat === eachMsat);
      expect(received).toHaveLength(count);
      expect(await service.problems()).toEqual([]);
    }

    for (const uses of [1, 7]) {
      it(`R6 R5: pays ${uses} of 100 with ${uses} use(s)`, async () => {
        const wallet = await client.wallet(100_000);
        const link = await linkOf(service, wallet, { num_satoshis: 100, uses });
        expect((await claimAtOnce(link, 10_000 + uses, { fee: 0 })).accepted).toBe(uses);
        await expectPaid(wallet, 100_000_000, link, uses, 10_000 + uses);
      });
    }

    it('R6 R5 R9: pays what the daily limit allows, pending claims with their fee limits included', async () => {
      const wallet = await client.wallet(100_000);
      const link = await permanentLink(service, wallet, { num_satoshis: 100, fee_limit_msat: 1_000, daily_limit_msat: 100_000 });
      // 8 × (11,500 + 1,000) = 100,000.
      const { accepted, hashes } = await claimAtOnce(link, 11_500, { hold: true, fee: 0 });
      expect(accepted).toBe(8);
      expect(await readLink(service, wallet, link.id)).toMatchObject({ daily_pending_msat: 100_000, daily_spent_msat: 0 });
      const pending = () => net.outside.payments().filter(({ paymentHash, state }) => hashes.includes(paymentHash) && state === 'pending');
      await expect.poll(() => pending().length).toBe(8);
      for (const hash of hashes) net.outside.resolveHold(hash, 'settle');
      await expectPaid(wallet, 100_000_000, link, 8, 11_500);
      expect(await readLink(service, wallet, link.id)).toMatchObject({ daily_pending_msat: 0, daily_spent_msat: 92_000 });
    });

    it('R6 R5 L4: releases each use exactly once when all accepted claims fail', async () => {
      const wallet = await client.wallet(100_000);
      const link = await linkOf(service, wallet, { num_satoshis: 100, uses: 5, fee_limit_msat: 0, daily_limit_msat: 40_000 });
      const { accepted, hashes } = await claimAtOnce(link, 13_000, { hold: true });
      expect(accepted).toBe(3);
      const pending = () => net.outside.payments().filter(({ paymentHash, state }) => hashes.includes(paymentHash) && state === 'pending');
      await expect.poll(() => pending().length).toBe(3);
      for (const hash of hashes) net.outside.resolveHold(hash, 'cancel');
      await untilNothingPending(service, wallet);
      expect(await readLink(service, wallet, link.id)).toMatchObject({
        uses_left: 5,
        claims: 0,
        daily_pending_msat: 0,
        daily_spent_msat: 0,
      });
      expect((await claimAtOnce(link, 8_000, { fee: 0 })).accepted).toBe(5);
      await expectPaid(wallet, 100_000_000, link, 5, 8_000);
    });
  },
  { ADDRESS_RATE_LIMIT_PER_SECOND: '100000', ADDRESS_RATE_LIMIT_BURST: '1000000' },
);
