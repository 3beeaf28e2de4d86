import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { domainsOfHost, parseRequestedName, readName } from '../../src/features/lnurl/pay/address.ts';
import { InvalidConfig } from '../../src/settings.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { rawGet } from '../support/raw-get.ts';
import { billFor, expectRefused, metadataOf, termsOf, visit } from './strict-payer.ts';

describe('names of addresses', () => {
  it.each(['a', 'Alma', 'a.b-c_d', '0', '-a', 'a'.repeat(64)])('%s can be taken', (name) => {
    expect(readName(name)).toBe(name.toLowerCase());
  });

  it.each(['', '.', '..', '-_.', 'a b', 'a@b', 'a+b', 'ä', 'İ', '\u212a', 'a/b', 'a%62', 'a\n', 'a'.repeat(65)])(
    '%j cannot exist',
    (name) => {
      expect(() => readName(name)).toThrow('`lnurlp_identifier` must be 1 to 64 of the characters');
    },
  );

  it.each(['admin', 'Abuse', 'POSTMASTER', 'support', 'root', 'hostmaster', 'webmaster', 'security', 'info', 'noreply', 'no-reply'])(
    '%s is reserved',
    (name) => {
      expect(() => readName(name)).toThrow('taken or reserved');
    },
  );

  it.each([
    ['alma', 'alma', undefined],
    ['ALMA', 'alma', undefined],
    ['alma+Tip.1', 'alma', 'tip.1'],
  ])('%s in a request is the name %s with the tag %s', (text, name, tag) => {
    expect(parseRequestedName(text)).toEqual({ name, tag });
  });

  it.each(['alma+', '+tip', 'alma+a+b', 'alma+a b', `alma+${'x'.repeat(33)}`, 'alma@x', ''])('%j in a request is no name', (text) => {
    expect(parseRequestedName(text)).toBeUndefined();
  });

  it('are found again in requests in every case', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/), (text) => {
        fc.pre(parseRequestedName(text) !== undefined);
        expect(parseRequestedName(text.toUpperCase())).toEqual({ name: text.toLowerCase(), tag: undefined });
      }),
    );
  });

  it.each([
    ['b.example', 'b.example'],
    ['B.Example:443', 'b.example'],
    ['b.example:80', 'b.example'],
    ['b.example:8080', 'a.example'],
    ['evil.example', 'a.example'],
    ['b.example.evil.example', 'a.example'],
    ['', 'a.example'],
    [undefined, 'a.example'],
  ])('L8: with the Host header %s belong to %s', (host, domain) => {
    expect(domainsOfHost(host, { addressDomains: ['a.example', 'b.example'], localHosts: ['localhost:4021'] })).toEqual([domain]);
  });

  it.each([
    ['localhost:4021', ['localhost:4021', '127.0.0.1:4021']],
    ['127.0.0.1:4021', ['127.0.0.1:4021', 'localhost:4021']],
    ['127.0.0.1:4022', ['localhost:4021', '127.0.0.1:4021']],
    ['b.example', ['b.example']],
    [undefined, ['localhost:4021', '127.0.0.1:4021']],
  ])('with the Host header %s are found under each host of this machine if the default domain is one: %j', (host, domains) => {
    const hosts = { addressDomains: ['localhost:4021', 'b.example'], localHosts: ['localhost:4021', '127.0.0.1:4021'] };
    expect(domainsOfHost(host, hosts)).toEqual(domains);
  });

  it('are in domains that the configuration lists', () => {
    const domains = (ADDRESS_DOMAINS: string, PUBLIC_URL = 'https://Wallets.example.com/x') =>
      readConfig({ PUBLIC_URL, ADDRESS_DOMAINS }).addressDomains;
    expect(domains('')).toEqual(['wallets.example.com']);
    expect(domains('B.example, c.example:8443 wallets.example.com,')).toEqual(['wallets.example.com', 'b.example', 'c.example:8443']);
    expect(domains('', 'http://127.0.0.1:4021')).toEqual(['127.0.0.1:4021']);
    for (const wrong of ['https://b.example', 'b.example/x', 'b..example', 'b.example:', '*.example', 'ä.example', 'user@b.example'])
      expect(() => domains(wrong)).toThrow(InvalidConfig);
  });
});

const OTHER_DOMAIN = 'tips.example';

onFakeNode(
  'a Lightning address',
  (app, dialect) => {
    const { client, neighbour, rows, problems } = app;
    let wallet: TestWallet;
    let host: string;

    beforeAll(async () => {
      wallet = await client.wallet();
      host = new URL(client.url).host;
    });

    const take = (lnurlp_identifier: string, fields: object = {}, by = client, id = wallet.id): Promise<HttpResponse> =>
      by.request('POST', `/v1/wallet/${id}/lnurlp`, { key: by.secretKey, json: { lnurlp_identifier, ...fields } });
    const change = (id: string, json: object, by = client): Promise<HttpResponse> =>
      by.request('PATCH', `/v1/lnurlp/${id}`, { key: by.secretKey, json });
    const remove = (id: string): Promise<HttpResponse> => client.request('DELETE', `/v1/lnurlp/${id}`, { key: client.secretKey });
    const at = (name: string) => `${client.url}/.well-known/lnurlp/${name}`;
    const TAKEN = { status: 409, body: { type: 'address_taken' } };

    it('is paid like the link that it belongs to, in upper and lower case', async () => {
      const { body: link } = await take('Alma.Tea');
      expect(link).toMatchObject({ lnurlp_identifier: 'alma.tea', lnurlp_domain: host, ln_address: `alma.tea@${host}` });
      const terms = await termsOf(at('alma.tea'));
      expect(terms).toEqual(await termsOf(link.url));
      expect(terms.callback).toBe(link.url);
      expect(metadataOf(terms, 'text/identifier')).toEqual([`alma.tea@${host}`]);
      for (const name of ['ALMA.TEA', 'aLmA.tEa', 'alma%2Etea']) expect(await termsOf(at(name))).toEqual(terms);
      const { pr } = await billFor(terms, 1234);
      await client.post('/playground/pay', { payment_request: pr });
      expect((await client.get(`/v1/wallet/${wallet.id}/transactions`))[0]).toMatchObject({
        num_msat: 1234,
        passThru: { lnurlp_id: link.id },
      });
      const head = await client.request('HEAD', '/.well-known/lnurlp/alma.tea');
      expect(head.status).toBe(200);
    });

    it('passes a tag after + to the owner', async () => {
      const { body: link } = await take('tagged');
      const terms = await termsOf(at('Tagged+Stream.1'));
      expect(metadataOf(terms, 'text/identifier')).toEqual([`tagged@${host}`]);
      const { pr } = await billFor(terms, 2000, { comment: 'go' });
      await client.post('/playground/pay', { payment_request: pr });
      expect((await client.get(`/v1/wallet/${wallet.id}/transactions`))[0].passThru).toMatchObject({
        address_tag: 'stream.1',
        comment: 'go',
      });
      const encoded = terms.callback.replace('+', '%2B');
      expect((await termsOf(encoded)).callback).toBe(terms.callback);
      for (const tag of ['+', '+a%20b', '+a+b', `+${'t'.repeat(33)}`]) {
        await expectRefused(visit(`${link.url}${tag}?amount=2000`));
        await expectRefused(visit(at(`tagged${tag}`)));
      }
    });

    it('L5: that is unknown, inactive, reserved or impossible gets the same response, after the same reads', async () => {
      const { body: gone } = await take('gone');
      await remove(gone.id);
      const frozen = await client.wallet();
      await take('frozen', {}, client, frozen.id);
      await client.request('PATCH', `/v1/wallet/${frozen.id}`, { key: client.secretKey, json: { status: 'inactive' } });
      const names = [
        'nobody',
        'gone',
        'GONE',
        'frozen',
        'admin',
        '..%2Fx',
        'a%20b',
        '%F0%9F%A7%99',
        'x'.repeat(500),
        'gone+tag',
        'a+b+c',
        "x'--",
      ];
      const raw = await Promise.all(names.map((name) => rawGet(at(name), {})));
      const [first] = raw;
      expect(first).toMatchObject({ status: 200 });
      for (const [i, one] of raw.entries()) expect([names[i], one.status, one.body]).toEqual([names[i], 200, first?.body]);
      expect(first?.body).toEqual({
        status: 'ERROR',
        reason: expect.stringMatching(/does not exist, or it accepts no payments/),
      });
    });

    it('L8: is not affected by Host, X-Forwarded-Host and Referer, except that Host selects a configured domain', async () => {
      await take('both', { lnurlp_short_desc: 'default' });
      const { body: other } = await take('both', { lnurlp_domain: 'TIPS.example', lnurlp_short_desc: 'tips' });
      expect(other.ln_address).toBe(`both@${OTHER_DOMAIN}`);
      const read = async (headers: Record<string, string>) => (await rawGet(at('both'), headers)).body;
      const usual = await termsOf(at('both'));
      for (const headers of [
        { host: 'evil.example' },
        { host: '169.254.169.254' },
        { host: `${OTHER_DOMAIN}.evil.example` },
        { 'x-forwarded-host': OTHER_DOMAIN },
        {
          'x-forwarded-host': 'evil.example',
          'x-forwarded-proto': 'https',
          referer: 'https://evil.example/',
          origin: 'https://evil.example',
        },
        { forwarded: 'host=evil.example' },
      ])
        expect(await read({ host, ...headers })).toEqual(usual);
      for (const named of [OTHER_DOMAIN, 'Tips.Example:443']) {
        const terms = await read({ host: named });
        expect(metadataOf(terms, 'text/identifier')).toEqual([`both@${OTHER_DOMAIN}`]);
        expect(terms.callback).toBe(other.url);
      }
      expect(other.url).toMatch(client.url);
      const { body: bill } = await rawGet(`${other.url}?amount=1000`, { host: 'evil.example' });
      expect(bill.verify).toMatch(`${client.url}/v1/lnurlp/verify/`);
    });

    it('L13: cannot be taken twice, in any case, by any account, but at each domain', async () => {
      expect((await take('mine')).status).toBe(201);
      const foreign = await neighbour.wallet();
      for (const name of ['mine', 'MINE', 'Mine']) {
        expect(await take(name)).toMatchObject(TAKEN);
        expect(await take(name, {}, neighbour, foreign.id)).toMatchObject(TAKEN);
      }
      expect((await take('mine', { lnurlp_domain: OTHER_DOMAIN }, neighbour, foreign.id)).status).toBe(201);
      expect(await take('admin')).toMatchObject(TAKEN);
      expect(await take('mine2', { lnurlp_domain: 'evil.example' })).toMatchObject({
        status: 400,
        body: { type: 'validation_failed', message: expect.stringContaining(`${host}, ${OTHER_DOMAIN}`) },
      });
      const { body: link } = await take('second');
      expect(await change(link.id, { lnurlp_identifier: 'mine' })).toMatchObject(TAKEN);
      expect((await client.get(`/v1/lnurlp/${link.id}`)).lnurlp_identifier).toBe('second');
    });

    it('L13: stays reserved for its account after a change and after the link was deactivated', async () => {
      const foreign = await neighbour.wallet();
      const takenByNeighbour = async (name: string) => (await take(name, {}, neighbour, foreign.id)).body.type === 'address_taken';
      const { body: link } = await take('first-name');
      expect((await change(link.id, { lnurlp_identifier: 'next-name' })).body.ln_address).toBe(`next-name@${host}`);
      await expectRefused(visit(at('first-name')));
      expect(await takenByNeighbour('first-name')).toBe(true);
      expect((await remove(link.id)).body).toMatchObject({ statusType: { name: 'lnurl_inactive' }, lnurlp_identifier: 'next-name' });
      await expectRefused(visit(at('next-name')));
      expect(await takenByNeighbour('next-name')).toBe(true);
      // Another link of the account can have both names.
      const { body: heir } = await take('next-name');
      expect((await termsOf(at('next-name'))).callback).toBe(heir.url);
      expect(await change(link.id, { status: 'active' })).toMatchObject(TAKEN);
      expect((await change(link.id, { status: 'active', lnurlp_identifier: 'first-name' })).status).toBe(200);
      expect((await termsOf(at('first-name'))).callback).toBe(link.url);
      expect((await change(link.id, { lnurlp_identifier: null })).body).toMatchObject({
        ln_address: null,
        lnurlp_identifier: null,
        lnurlp_domain: null,
      });
      await expectRefused(visit(at('first-name')));
      expect(metadataOf(await termsOf(link.url), 'text/identifier')).toEqual([]);
      expect(await takenByNeighbour('first-name')).toBe(true);
    });

    it('L13: is given to one of many who take it at once, also on two instances', async () => {
      const instances = dialect === 'postgres' ? [client, await app.another()] : [client];
      const foreign = await neighbour.wallet();
      for (let round = 0; round < 5; round++) {
        const name = `rush${round}`;
        const own = instances.flatMap((one) =>
          Array.from({ length: 5 }, () => take(name, {}, { ...one, secretKey: client.secretKey, request: one.request })),
        );
        const others = Array.from({ length: 5 }, () => take(name, {}, neighbour, foreign.id));
        const responses = await Promise.all([...own, ...others]);
        const won = responses.filter(({ status }) => status === 201);
        expect(won).toHaveLength(1);
        for (const lost of responses.filter(({ status }) => status !== 201)) expect(lost).toMatchObject(TAKEN);
        expect((await termsOf(at(name))).callback).toBe(won[0]?.body.url);
        const links = await rows(`SELECT id FROM pay_link WHERE name = $1`, name);
        expect(links).toHaveLength(1);
      }
    });

    it('cannot be stored twice or malformed, even past the checks of the service', async () => {
      const link: Json = (await take('strict')).body;
      const copy = (changes: string) =>
        app.execute(
          `/* ${changes} */ INSERT INTO pay_link (id, wallet_id, account_id, state, user_label, short_desc, min_msat, max_msat, comment_length, domain, name, metadata_hash,
             created_at, updated_at)
           SELECT 'lnurlp_copy', wallet_id, account_id, 'active', '', '', ${changes}, metadata_hash, 1, 1 FROM pay_link WHERE id = $1`,
          link.id,
        );
      await expect(copy('1000, 1000, 0, domain, name')).rejects.toThrow(/UNIQUE|unique/);
      await expect(copy("1000, 1000, 0, domain, 'unknown'")).rejects.toThrow(/FOREIGN|foreign/);
      for (const wrong of ['999, 1000, 0', '2000, 1999, 0', '1000, 1000, 501', '1000, 1000, -1', '1000, 9007199254740992, 0'])
        await expect(copy(`${wrong}, NULL, NULL`)).rejects.toThrow();
      await expect(copy("1000, 1000, 0, 'a.example', NULL")).rejects.toThrow(/CHECK|check/);
      for (const [domain, name] of [
        ['a.example', 'Upper'],
        ['A.example', 'lower'],
        ['a.example', ''],
      ])
        await expect(
          app.execute(
            `/* ${name} ${domain} */ INSERT INTO pay_name SELECT '${domain}', '${name}', account_id, 1 FROM pay_link WHERE id = $1`,
            link.id,
          ),
        ).rejects.toThrow(/CHECK|check/);
    });

    it('leaves the books balanced', async () => {
      expect(await problems()).toEqual([]);
    });
  },
  { ADDRESS_DOMAINS: OTHER_DOMAIN },
);
