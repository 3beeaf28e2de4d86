import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { rawGet } from '../support/raw-get.ts';

/** The example of NIP-19. */
const NPUB = 'npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg';
const KEY = '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e';
const NOBODY = { names: {}, relays: {} };

onFakeNode(
  'a Nostr identifier',
  ({ client, problems }) => {
    let wallet: TestWallet;

    beforeAll(async () => {
      wallet = await client.wallet();
    });

    const create = (fields: object): Promise<HttpResponse> =>
      client.request('POST', `/v1/wallet/${wallet.id}/lnurlp`, { key: client.secretKey, json: fields });
    const change = (id: string, json: object): Promise<HttpResponse> =>
      client.request('PATCH', `/v1/lnurlp/${id}`, { key: client.secretKey, json });
    const find = (query: string, headers: Record<string, string> = {}) => rawGet(`${client.url}/.well-known/nostr.json${query}`, headers);
    const named = async (name: string, headers?: Record<string, string>): Promise<Json> => (await find(`?name=${name}`, headers)).body;

    it('has the key that the owner stored, in hex or as npub', async () => {
      expect((await create({ lnurlp_identifier: 'Alma', nostr_pubkey: NPUB })).body).toMatchObject({ nostr_pubkey: KEY });
      expect((await create({ lnurlp_identifier: 'bruno', nostr_pubkey: KEY.toUpperCase() })).body).toMatchObject({ nostr_pubkey: KEY });
      expect(await named('alma')).toEqual({ names: { alma: KEY }, relays: {} });
      expect(await named('bruno')).toEqual({ names: { bruno: KEY }, relays: {} });
      expect(await named('ALMA')).toEqual({ names: { ALMA: KEY }, relays: {} });
    });

    it('can be read by pages of every origin, without a redirect', async () => {
      const { status, headers } = await find('?name=alma', { origin: 'https://client.example' });
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['content-type']).toContain('application/json');
    });

    it('does not exist without a stored key, after its removal, or for an inactive or unknown address', async () => {
      const { body: link } = await create({ lnurlp_identifier: 'carla' });
      expect(link.nostr_pubkey).toBeNull();
      expect(await named('carla')).toEqual(NOBODY);
      await change(link.id, { nostr_pubkey: KEY });
      expect(await named('carla')).toEqual({ names: { carla: KEY }, relays: {} });
      await change(link.id, { nostr_pubkey: null });
      expect(await named('carla')).toEqual(NOBODY);
      await change(link.id, { nostr_pubkey: KEY, status: 'inactive' });
      expect(await named('carla')).toEqual(NOBODY);
      for (const name of ['dora', '', '_', 'alma%2Btag', '__proto__', 'a%00b', '%F0%9F%A6%84']) expect(await named(name)).toEqual(NOBODY);
      expect((await find('')).body).toEqual(NOBODY);
    });

    it('belongs to the domain that the Host header names', async () => {
      await create({ lnurlp_identifier: 'emil', lnurlp_domain: 'second.example', nostr_pubkey: KEY });
      expect(await named('emil')).toEqual(NOBODY);
      expect(await named('emil', { host: 'second.example' })).toEqual({ names: { emil: KEY }, relays: {} });
    });

    it.each([
      ['a key that is not on the curve', 'f'.repeat(64)],
      ['a compressed key', `02${KEY}`],
      ['a secret key', 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5'],
      ['an npub with a wrong checksum', `${NPUB.slice(0, -1)}h`],
      ['other text', 'alma'],
    ])('refuses %s', async (_, key) => {
      expect(await create({ nostr_pubkey: key })).toMatchObject({
        status: 400,
        body: { type: 'validation_failed', message: expect.stringContaining('`nostr_pubkey`') },
      });
    });

    it('leaves the books balanced', async () => {
      expect(await problems()).toEqual([]);
    });
  },
  { ADDRESS_DOMAINS: 'second.example' },
);
