import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json } from '../support/client.ts';
import { runVerifier } from './run-verifier.ts';

/** Waits for the first epoch that began after this call. The next one may have begun before it. */
async function freshEpoch(client: Client): Promise<Json> {
  const { epoch = 0 } = (await client.request('GET', '/v1/proof')).body;
  for (;;) {
    const later = await client.request('GET', `/v1/proof/${epoch + 2}`);
    if (later.status === 200) return later.body;
    await delay(50);
  }
}

onFakeNode(
  'the proof of liabilities of a live service',
  ({ client, neighbour }) => {
    it('V1: is accepted by the verifier for every wallet, with its balance', async () => {
      const [alma, bruno, empty, other] = [
        await client.wallet(5000),
        await client.wallet(700),
        await client.wallet(),
        await neighbour.wallet(90),
      ];
      await client.post(`/v1/wallet/${alma.id}/transfer`, { dest_wallet_id: bruno.id, num_satoshis: 1200 });
      const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 1000, at: 'carol' });
      await client.post(`/v1/wallet/${alma.id}/withdraw`, { payment_request });

      const published = await freshEpoch(client);
      const shown = [alma, bruno, empty, other].map(async (wallet) => {
        const owner = wallet === other ? neighbour : client;
        const { balance_msat } = await owner.get(`/v1/wallet/${wallet.id}`);
        const { code, output } = await runVerifier(
          '',
          [published.root, wallet.id, `${client.url}/v1/user/wallet/${wallet.id}/proof?epoch=${published.epoch}`],
          {
            KEY: wallet.read,
          },
        );
        expect(output).toMatch(new RegExp(`^ACCEPTED: ${balance_msat} of the ${published.total_msat} msat`));
        expect(code).toBe(0);
        return balance_msat as number;
      });
      const balances = await Promise.all(shown);
      expect(balances[2]).toBe(0);
      expect(balances.reduce((sum, one) => sum + one)).toBe(published.total_msat);
      expect(published.leaves).toBe(4);
    });

    it('counts money held for a payment as owed until it has left', async () => {
      const wallet = await client.wallet(3000);
      const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 2000, hold: true });
      await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
        key: client.secretKey,
        json: { payment_request },
        headers: { prefer: 'respond-async' },
      });
      const { epoch } = await freshEpoch(client);
      const { balance_msat, head } = await client.get(`/v1/wallet/${wallet.id}/proof?epoch=${epoch}`);
      expect(balance_msat).toBe(3_000_000);
      expect(head).toMatch(/^(?!0{64})[0-9a-f]{64}$/);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBeGreaterThan(0);
      await client.decideHold(payment_hash, 'cancel');
    });

    it('rejects proofs that were changed, and the proof of another wallet', async () => {
      const [mine, other] = [await client.wallet(400), await client.wallet(800)];
      const { epoch, root } = await freshEpoch(client);
      const [proof, theirs] = [
        await client.get(`/v1/wallet/${mine.id}/proof?epoch=${epoch}`),
        await client.get(`/v1/wallet/${other.id}/proof?epoch=${epoch}`),
      ];
      expect((await runVerifier(proof, [root, mine.id])).code).toBe(0);
      const [first, ...rest] = proof.path;
      for (const tampered of [
        theirs,
        { ...theirs, wallet_id: mine.id },
        { ...proof, balance_msat: proof.balance_msat - 1000 },
        { ...proof, total_msat: proof.total_msat - 1000 },
        { ...proof, path: rest },
        { ...proof, path: [{ ...first, side: first.side === 'left' ? 'right' : 'left' }, ...rest] },
        { ...proof, path: [{ ...first, sum_msat: -1 }, ...rest] },
        { ...proof, path: [{ ...first, sum_msat: 2 ** 64 }, ...rest] },
      ]) {
        expect((await runVerifier(tampered, [root, mine.id])).output).toMatch(/^REJECTED/);
      }
      const earlier = (await client.request('GET', `/v1/proof/${epoch - 1}`)).body;
      expect((await runVerifier(proof, [earlier.root, mine.id])).output).toMatch(/^REJECTED/);
    });

    it('is published without a key: the last epoch, any epoch, and a list to archive, each chained to the one before', async () => {
      const { epoch } = await freshEpoch(client);
      const chain: Json[] = [];
      for (let number = 1; number <= epoch; number++) chain.push((await client.request('GET', `/v1/proof/${number}`)).body);
      expect(chain[0].previous_root).toBe('0'.repeat(64));
      for (const [index, one] of chain.slice(1).entries()) expect(one.previous_root).toBe(chain[index]?.root);

      const last = (await client.request('GET', '/v1/proof')).body;
      expect(last.epoch).toBeGreaterThanOrEqual(epoch);
      expect(Object.keys(last)).toEqual(['epoch', 'created_at', 'root', 'total_msat', 'leaves', 'tree_hash', 'previous_root']);
      const page = await client.request('GET', '/v1/proofs?count=1&per-page=2');
      expect(page.body).toHaveLength(2);
      expect(Number(page.headers.get('x-pagination-total-count'))).toBeGreaterThanOrEqual(epoch);
      expect(page.headers.get('link')).toContain('rel="next"');
      expect(page.body[0].epoch).toBe(page.body[1].epoch + 1);
      expect(page.body[1]).toEqual((await client.request('GET', `/v1/proof/${page.body[1].epoch}`)).body);
      expect((await client.request('GET', '/v1/proofs?after=1')).body).toEqual([]);
      expect((await client.request('GET', '/v1/proofs?after=1&order=asc')).body[0].epoch).toBe(2);
      expect((await client.request('GET', '/v1/proofs?after=x')).status).toBe(400);
    });

    it('is served only to keys that may read the wallet', async () => {
      const wallet = await client.wallet(10);
      const { epoch } = await freshEpoch(client);
      const asks = async (key: string | undefined, path = wallet.id) =>
        (await client.request('GET', `/v1/wallet/${path}/proof?epoch=${epoch}`, { key })).status;
      expect(await asks(wallet.read)).toBe(200);
      expect(await asks(client.publicKey, wallet.read)).toBe(200);
      expect(await asks(undefined)).toBe(401);
      expect(await asks(wallet.invoice)).toBe(403);
      expect(await asks(client.publicKey, wallet.lnurlPay)).toBe(403);
      expect(await asks(neighbour.secretKey)).toBe(404);
    });

    it('has an error type for a proof that does not exist, or no longer exists', async () => {
      const refused = async (path: string) => {
        const { status, body } = await client.request('GET', path, { key: client.secretKey });
        return [status, body.type];
      };
      const { epoch } = await freshEpoch(client);
      const young = await client.wallet();
      const unavailable = [404, 'proof_unavailable'];
      expect(await refused(`/v1/wallet/${young.id}/proof?epoch=1`)).toEqual(unavailable);
      expect(await refused(`/v1/wallet/${young.id}/proof?epoch=999999999`)).toEqual(unavailable);
      for (const number of [0, -1, 999_999_999, '1.5', 'x', '99999999999999999999']) {
        expect(await refused(`/v1/proof/${number}`), String(number)).toEqual(unavailable);
      }
      expect(await refused(`/v1/wallet/${young.id}/proof?epoch=x`)).toEqual([400, 'validation_failed']);
      expect(epoch).toBeGreaterThan(1);
    });
  },
  { PROOF_INTERVAL_SECONDS: '1' },
);
