import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode('a list as CSV', ({ client }) => {
  async function csv(path: string, key = client.secretKey): Promise<string[][]> {
    const { status, text, headers } = await client.request('GET', path, { key });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    return text.trimEnd().split('\r\n').map(cellsOf);
  }

  /** The cells of a row, for values without line breaks. */
  function cellsOf(row: string): string[] {
    return Array.from(
      row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g),
      ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
    );
  }

  it('has every item once, in the order of the pages, with balances', async () => {
    const { secret_key: key } = await client.post('/v1/accounts', {});
    for (let count = 0; count < 205; count++) await client.request('POST', '/v1/wallet', { key, json: { user_label: `w${count}` } });
    const listed: Json[] = [];
    for (let after = ''; ; after = `&after=${listed.at(-1)?.id}`) {
      const page = JSON.parse((await client.request('GET', `/v1/wallets?per-page=100${after}`, { key })).text);
      listed.push(...page);
      if (page.length < 100) break;
    }
    const rows = await csv('/v1/wallets?format=csv&fields=id,user_label,balance', key);
    expect(rows).toEqual([['id', 'user_label', 'balance'], ...listed.map(({ id, user_label }) => [id, user_label, '0'])]);
    expect((await csv('/v1/wallets?format=csv&order=asc&fields=id', key)).slice(1).flat()).toEqual(listed.map(({ id }) => id).toReversed());
    const last = await csv(`/v1/wallets?format=csv&fields=id&after=${listed.at(-3)?.id}`, key);
    expect(last.slice(1).flat()).toEqual(listed.slice(-2).map(({ id }) => id));
  });

  it('has the filters of the list', async () => {
    await client.namedWallet('Red till');
    await client.namedWallet('Blue till');
    expect((await csv('/v1/wallets?format=csv&fields=user_label&label=red')).slice(1)).toEqual([['Red till']]);
  });

  it('has times in ISO 8601, the fields of inner objects as columns, and no formulas', async () => {
    const { id } = await client.namedWallet('=1+1');
    const [{ created_at: createdAt }] = await client.get(`/v1/wallets?id=${id}`);
    const [head = [], row = []] = await csv(`/v1/wallets?format=csv&id=${id}`);
    const wallet = Object.fromEntries(head.map((name, index) => [name, row[index]]));
    expect(wallet).toMatchObject({ id, user_label: "'=1+1", created_at: new Date(createdAt * 1000).toISOString() });
    expect(head.length, 'one cell for each column').toBe(row.length);
    expect(head.filter((name) => name.startsWith('statusType_'))).not.toEqual([]);
  });

  it('has the columns that `fields` selects, in that order, and at least one', async () => {
    const { id } = await client.namedWallet('Till');
    expect(await csv(`/v1/wallets?format=csv&id=${id}&fields=user_label,statusType.name,id`)).toEqual([
      ['user_label', 'statusType_name', 'id'],
      ['Till', 'active', id],
    ]);
    const { status, body } = await client.request('GET', '/v1/wallets?format=csv&fields=unknown', { key: client.secretKey });
    expect([status, body.message]).toEqual([400, '`fields` must name at least one field of this list.']);
  });

  it('reports a wrong cursor and a page number like a page of JSON', async () => {
    for (const path of [
      '/v1/wallets?after=bogus',
      '/v1/contacts?after=wal_bogus',
      '/v1/keys?after=%00',
      '/v1/wallets?page=2',
      '/v1/events?after=bogus',
    ]) {
      const { status, body } = await client.request('GET', `${path}&format=csv`, { key: client.secretKey });
      expect([path, status, body.status]).toEqual([path, path.includes('events') ? 410 : 400, status]);
    }
  });

  it('is only its columns for an empty list, and has no body for HEAD', async () => {
    const { secret_key: key } = await client.post('/v1/accounts', {});
    expect(await csv('/v1/contacts?format=csv', key)).toHaveLength(1);
    const head = await client.request('HEAD', '/v1/wallets?format=csv', { key: client.secretKey });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('is offered by each list that declares it, and rejects other formats', async () => {
    const documents = await Promise.all(['/openapi.json', '/openapi-operator.json'].map((path) => client.get(path)));
    const paths = documents.flatMap(({ paths }) => Object.entries<Json>(paths));
    const offered = paths.filter(([, { get }]) =>
      get?.parameters?.some(({ name, in: place }: Json) => name === 'format' && place === 'query'),
    );
    expect(offered.length).toBeGreaterThan(6);
    for (const [path, { get }] of offered) {
      expect(Object.keys(get.responses['200'].content), path).toEqual(expect.arrayContaining(['application/json', 'text/csv']));
      if (path.includes('{')) continue;
      const { status, text } = await client.request('GET', `${path}?format=csv`, { key: client.secretKey });
      expect([path, status, /^[a-z][a-zA-Z0-9_,]*\r\n/.test(text)]).toEqual([path, 200, true]);
      expect((await client.request('GET', `${path}?format=xml`, { key: client.secretKey })).status).toBe(400);
    }
  });
});
