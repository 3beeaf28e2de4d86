import { describe, expect, it } from 'vitest';
import type { SeparateService } from '../process/two-services.ts';
import { startTwoServices } from '../process/two-services.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { runSatchel, runVerify, startProcess } from '../support/process.ts';

/** The fee of alice, who forwards between the nodes: 1 sat and 0.01 %. */
const routingFee = (amountMsat: number): number => 1000 + Math.floor(amountMsat / 10_000);

const balanceMsat = async ({ client }: SeparateService, { id }: TestWallet) => {
  const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${id}`);
  expect(pending_msat).toBe(0);
  return balance_msat as number;
};

const transactions = ({ client }: SeparateService, { id }: TestWallet, query = ''): Promise<Json[]> =>
  client.list(`/v1/wallet/${id}/transactions${query}`);

/** Requires that the database has no problem, and that it agrees with the node. */
async function requireClean(service: SeparateService): Promise<void> {
  const verified = await runVerify(service.settings);
  expect([verified.output, verified.code]).toEqual([expect.stringContaining('The ledger is clean.'), 0]);
  const reconciled = await runSatchel(['reconcile'], service.settings);
  expect([reconciled.output, reconciled.code]).toEqual([expect.any(String), 0]);
}

for (const [first, second] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  describe(`two services with their own ledgers on one playground (${first} and ${second})`, () => {
    const { bank, shop } = startTwoServices({ bank: first, shop: second });

    it('have their own nodes, which list each other in the network', async () => {
      const nodes = await Promise.all([bank(), shop()].map(async ({ client }) => (await client.get('/v1/nodes'))[0]));
      expect(nodes.map(({ alias }) => alias)).toEqual(['hub', 'shop']);
      for (const { client } of [bank(), shop()]) {
        const network: Json[] = (await client.get('/playground')).nodes;
        expect(network.map(({ name }) => name)).toEqual(['hub', 'alice', 'carol', 'shop']);
        for (const { alias, default_pubkey: pubkey } of nodes) expect(network).toContainEqual({ name: alias, pubkey });
      }
    });

    it.each([
      ['the first pays an address of the second', bank, shop],
      ['the second pays an address of the first', shop, bank],
    ])('%s, and its LNURL, with a comment and the routing fee', async (name, payer, payee) => {
      const [from, to] = [await payer().client.wallet(1000), await payee().client.wallet()];
      const identifier = payer === bank ? 'alma' : 'bruno';
      const draft = { lnurlp_short_desc: 'tips', lnurlp_identifier: identifier, passThru: { till: 7 } };
      const link = await payee().client.post(`/v1/wallet/${to.id}/lnurlp`, draft);
      const address = `${identifier}@${payee().domain}`;
      expect(link.ln_address).toBe(address);
      const probe = await payer().client.get(`/v1/lnurlp/probe/${encodeURIComponent(address)}`);
      expect(probe).toMatchObject({ ln_address: address, metadata: { text: 'tips', identifier: address } });

      const pay = (json: object): Promise<Json> => payer().client.post(`/v1/wallet/${from.id}/lnurlp/pay`, json);
      const sent = await pay({ ln_address: address, amt_msat: 210_001, comment: `hello ${name}` });
      const fee = routingFee(210_001);
      expect(sent).toMatchObject({
        num_msat: -210_001,
        status: 'settled',
        wtxType: { name: 'ln_lnurl_pay_outbound' },
        passThru: { ln_address: address, comment: `hello ${name}` },
        lnTx: { fee_msat: fee },
      });
      await expect.poll(() => transactions(payee(), to)).toHaveLength(1);
      const [received] = await transactions(payee(), to);
      expect(received).toMatchObject({
        num_msat: 210_001,
        wtxType: { name: 'ln_lnurl_pay_inbound' },
        passThru: { till: 7, lnurlp_id: link.id, comment: `hello ${name}` },
        lnTx: { r_hash_decoded: sent.lnTx.r_hash_decoded, payment_preimage: sent.lnTx.payment_preimage },
      });
      expect(await balanceMsat(payer(), from)).toBe(1_000_000 - 210_001 - fee);
      expect(await balanceMsat(payee(), to)).toBe(210_001);

      await pay({ lnurlpay_encoded: link.lnurl_encoded, amt_msat: 90_000 });
      await payer().client.post(`/v1/wallet/${from.id}/withdraw`, { payment_request: address, num_satoshis: 70 });
      expect(await balanceMsat(payer(), from)).toBe(1_000_000 - 370_001 - fee - routingFee(90_000) - routingFee(70_000));
      await expect.poll(() => balanceMsat(payee(), to)).toBe(370_001);
    });

    it.each([
      ['the first pulls from a link of the second', bank, shop],
      ['the second pulls from a link of the first', shop, bank],
    ])('%s, once, and the second service pays the routing fee', async (_name, puller, payer) => {
      const [from, to] = [await payer().client.wallet(1000), await puller().client.wallet()];
      const { id, lnurl } = await payer().client.post(`/v1/wallet/${from.id}/lnurl/withdraw`, { num_satoshis: 300, memo: 'gift' });
      const pull = (): Promise<HttpResponse> =>
        puller().client.request('POST', `/v1/wallet/${to.id}/lnurl/pull`, {
          key: puller().client.secretKey,
          json: { lnurl, num_satoshis: 250 },
        });
      const { status, body } = await pull();
      expect([status, body]).toEqual([201, expect.objectContaining({ memo: 'gift', passThru: { lnurl_domain: payer().domain } })]);
      await expect.poll(async () => (await puller().client.get(`/v1/lntx/${body.id}`)).status).toBe('settled');
      const [received] = await transactions(puller(), to);
      expect(received).toMatchObject({ num_msat: 250_000, wtxType: { name: 'ln_deposit' } });
      await expect.poll(async () => (await transactions(payer(), from, '?status=pending')).length).toBe(0);
      const [fee, claimed] = await transactions(payer(), from);
      expect(fee).toMatchObject({
        num_msat: -routingFee(250_000),
        wtxType: { name: 'network_fee' },
        passThru: { source_transaction: claimed.id },
      });
      expect(claimed).toMatchObject({
        num_msat: -250_000,
        status: 'settled',
        wtxType: { name: 'ln_lnurl_withdraw' },
        passThru: { lnurlw_id: id },
        lnTx: { r_hash_decoded: received.lnTx.r_hash_decoded, fee_msat: routingFee(250_000) },
      });
      expect((await pull()).body).toMatchObject({ status: 400, type: 'lnurl_refused' });
      expect(await balanceMsat(payer(), from)).toBe(1_000_000 - 250_000 - routingFee(250_000));
      expect(await balanceMsat(puller(), to)).toBe(250_000);
    });

    it('refuse a third ledger on the node of one of them', async () => {
      for (const { settings } of [bank(), shop()]) {
        const third = { ...settings, DATA_DIR: `${settings.DATA_DIR}-third`, DATABASE_URL: '' };
        await expect(startProcess(third)).rejects.toThrow('belongs to another ledger');
      }
    });

    it('have correct ledgers, which agree with their nodes', async () => {
      for (const service of [bank(), shop()]) await requireClean(service);
    });
  });
}

for (const [first, second] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  describe(`two services, one of which is killed (${first} and ${second})`, () => {
    const { bank, shop, killAndRestart } = startTwoServices({ bank: first, shop: second });

    it.each([
      ['the service that pulls', bank],
      ['the service that pays', shop],
    ])('%s: pulls in progress are paid once or not at all, and no money is lost', async (_name, killed) => {
      const [from, to] = [await shop().client.wallet(100_000), await bank().client.wallet()];
      const links: Json[] = await Promise.all(
        Array.from({ length: PULLS }, () => shop().client.post(`/v1/wallet/${from.id}/lnurl/withdraw`, { num_satoshis: 200 })),
      );
      let answered = 0;
      let restarted: Promise<void> | undefined;
      const pull = async (index: number): Promise<HttpResponse | undefined> => {
        const options = {
          key: bank().client.secretKey,
          json: { lnurl: links[index].lnurl, num_satoshis: 200 },
          headers: { 'idempotency-key': `pull-${to.id}-${index}` },
        };
        const response = await bank()
          .client.request('POST', `/v1/wallet/${to.id}/lnurl/pull`, options)
          .catch(() => undefined);
        answered += 1;
        if (answered === PULLS / 3) restarted = killAndRestart(killed);
        return response;
      };
      const indexes = links.map((_, index) => index);
      const firstTries = await inTurns(indexes, pull);
      await restarted;
      expect(firstTries.filter((response) => response?.status === 201).length).toBeGreaterThanOrEqual(PULLS / 3 - 1);
      // A repetition of an accepted pull returns the first response; others claim their link now. If the response to a claim was lost, the
      // pull counts as accepted.
      const secondTries = await inTurns(indexes, pull);
      for (const response of secondTries) expect(response?.status).toBe(201);

      const pending = async () =>
        (await shop().client.get(`/v1/wallet/${from.id}`)).pending_msat + (await bank().client.get(`/v1/wallet/${to.id}`)).pending_msat;
      await expect.poll(pending).toBe(0);
      const claims = await transactions(shop(), from, '?type=ln_lnurl_withdraw&per-page=100');
      const claimedLinks = claims.map(({ passThru }) => passThru.lnurlw_id);
      expect(new Set(claimedLinks).size).toBe(claims.length);
      for (const { num_msat } of claims) expect(num_msat).toBe(-200_000);
      await expect.poll(() => transactions(bank(), to, '?per-page=100')).toHaveLength(claims.length);
      const credits = await transactions(bank(), to, '?per-page=100');
      const hashes = (rows: Json[]) => rows.map(({ lnTx }) => lnTx.r_hash_decoded).sort();
      expect(hashes(credits)).toEqual(hashes(claims));
      expect(await balanceMsat(bank(), to)).toBe(claims.length * 200_000);
      expect(await balanceMsat(shop(), from)).toBe(100_000_000 - claims.length * (200_000 + routingFee(200_000)));
      // Only claims in progress at the kill may have been lost. Their links can still be claimed.
      expect(claims.length).toBeGreaterThanOrEqual(PULLS - AT_ONCE);
      const listed: Json[] = await shop().client.list(`/v1/wallet/${from.id}/lnurl/withdraws?per-page=100`);
      expect(
        listed
          .filter(({ uses_left }) => uses_left === 0)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(claimedLinks.sort());
      for (const service of [bank(), shop()]) await requireClean(service);
    });
  });
}

const PULLS = 30;
const AT_ONCE = 8;

/** Calls `run` for each item, with a limited number of calls at once. */
async function inTurns<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
