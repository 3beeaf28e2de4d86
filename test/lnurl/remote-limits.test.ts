import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { encodeLnurl } from '../../src/core/lightning/bech32.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';

reloadModulesAfterFile();

/** Addresses of one slow service. The HTTP client has 16 places per host. */
const SERVICES = 8;

onFakeNode(
  'slow services',
  ({ client, neighbour }) => {
    let running = 0;
    const waiting: ServerResponse[] = [];
    const server = createServer((_request, response) => void waiting.push(response));
    beforeAll(() => new Promise<void>((resolve) => server.listen(0, resolve)));
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });
    const linkOf = (service: number) => encodeLnurl(`http://127.0.0.${2 + service}:${(server.address() as AddressInfo).port}/`);
    const probe = (service: number, key: string) => client.request('GET', `/v1/lnurlp/probe/${linkOf(service)}`, { key });
    const pay = (walletId: string, service: number, key: string) => {
      const json = { lnurlpay_encoded: linkOf(service), amt_msat: 1000 };
      return client.request('POST', `/v1/wallet/${walletId}/lnurlp/pay`, { key, json });
    };

    /** Sends requests and waits until each of them is rejected or waits for a service. Returns the types of the rejections. */
    async function occupy(count: number, send: (index: number) => Promise<HttpResponse>): Promise<string[]> {
      const rejected: string[] = [];
      const before = waiting.length;
      for (let i = 0; i < count; i++) {
        running += 1;
        void send(i).then(({ body }) => {
          running -= 1;
          rejected.push(body.type);
        });
      }
      await vi.waitFor(() => expect(waiting.length - before + rejected.length).toBe(count), { timeout: 150_000 });
      return rejected;
    }

    async function release(): Promise<void> {
      for (const response of waiting.splice(0)) response.end('{"status":"ERROR","reason":"slow"}');
      await vi.waitFor(() => expect(running).toBe(0), { timeout: 150_000 });
    }

    it('O2: occupy a part of the places with the payments of a wallet, and a larger one with those of an account', async () => {
      const [one, two, three] = [await client.wallet(10), await client.wallet(10), await client.wallet(10)];
      const of = ({ id }: { id: string }) => occupy(40, (i) => pay(id, i % SERVICES, client.secretKey));
      expect(await of(one)).toEqual(Array.from({ length: 8 }, () => 'rate_limited'));
      expect(await of(two)).toEqual(Array.from({ length: 8 }, () => 'rate_limited'));
      expect((await of(three)).length).toBe(40);
      const theirs = await neighbour.wallet();
      expect(await occupy(1, () => pay(theirs.id, 0, neighbour.secretKey))).toEqual([]);
      await release();
      expect(await occupy(1, () => pay(one.id, 0, client.secretKey))).toEqual([]);
      await release();
    });

    it('do not keep an account from paying if others probe them with its public key', async () => {
      const wallet = await client.wallet(10);
      expect(await occupy(20, (i) => probe(i % SERVICES, client.publicKey))).toEqual(Array.from({ length: 12 }, () => 'rate_limited'));
      expect(await occupy(1, () => pay(wallet.id, 0, client.secretKey))).toEqual([]);
      await release();
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.0/8' },
);
