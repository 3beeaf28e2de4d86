import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

onFakeNode('fields', ({ client }) => {
  let wallet: TestWallet;

  beforeAll(async () => {
    wallet = await client.wallet(1000);
    const { nodes } = await client.get('/playground');
    const { pubkey } = nodes.find(({ name }: Json) => name === 'carol');
    await client.post(`/v1/wallet/${wallet.id}/keysend`, { dest_pubkey: pubkey, num_satoshis: 10, passThru: { a: { b: 1, c: 2 } } });
  });

  const request = (path: string) => client.request('GET', path, { key: client.secretKey });

  it('returns only the requested fields, in the requested order', async () => {
    const { id } = wallet;
    const { balance } = await client.get(`/v1/wallet/${id}`);
    expect((await request(`/v1/wallet/${id}?fields=balance,id`)).text).toBe(`{"balance":${balance},"id":"${id}"}`);
    expect((await request(`/v1/wallet/${id}?fields=id,balance`)).text).toBe(`{"id":"${id}","balance":${balance}}`);
    expect((await request(`/v1/wallet/${id}?fields=id,%20balance%20,id`)).text).toBe(`{"id":"${id}","balance":${balance}}`);
    expect((await request(`/v1/wallet/${id}?fields=statusType.name,statusType`)).body).toEqual({
      statusType: { type: 'wallet', name: 'active', display_name: 'Active' },
    });
    expect((await request(`/v1/wallet/${id}?fields=statusType.name,statusType.type`)).text).toBe(
      '{"statusType":{"name":"active","type":"wallet"}}',
    );
  });

  it('ignores unknown names, and returns everything for an empty list', async () => {
    const { id } = wallet;
    const all = (await request(`/v1/wallet/${id}`)).body;
    expect((await request(`/v1/wallet/${id}?fields=`)).body).toEqual(all);
    expect((await request(`/v1/wallet/${id}?fields=id,nothing,statusType.nothing.x,id.length,statusType.constructor`)).body).toEqual({
      id,
      statusType: {},
    });
    for (const fields of ['nothing', '__proto__', 'constructor,toString', '__proto__.a', ',', '.', '..', 'id.', '%00', "'"]) {
      expect((await request(`/v1/wallet/${id}?fields=${fields}`)).text).toBe('{}');
    }
    const many = Array.from({ length: 51 }, () => 'nothing').join(',');
    expect((await request(`/v1/wallet/${id}?fields=${many}`)).status).toBe(400);
  });

  it('selects from every item of a list, with dots for nested fields', async () => {
    const { body } = await request(
      `/v1/wallet/${wallet.id}/transactions?fields=num_satoshis,wal.balance,wtxType.name,lnTx.settled,passThru.a.c`,
    );
    const { balance } = await client.get(`/v1/wallet/${wallet.id}`);
    expect(body).toHaveLength(3);
    expect(body[1]).toEqual({
      num_satoshis: -10,
      wal: { balance },
      wtxType: { name: 'ln_withdrawal' },
      lnTx: { settled: 1 },
      passThru: { a: { c: 2 } },
    });
    expect(Object.keys(body[0])).toEqual(['num_satoshis', 'wal', 'wtxType', 'passThru']);
    const wallets = await request('/v1/wallets?fields=id');
    for (const item of wallets.body) expect(Object.keys(item)).toEqual(['id']);
    expect(wallets.headers.get('x-pagination-total-count')).toBe(String(wallets.body.length));
  });

  it('never filters errors and the responses of LUD-03', async () => {
    const refused = await request('/v1/wallet/wal_0?fields=id');
    expect(Object.keys(refused.body)).toEqual(['name', 'message', 'code', 'status', 'type', 'request_id']);
    const { url } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 1 });
    expect(await (await fetch(`${url}&fields=k1`)).json()).toHaveProperty('callback');
  });

  it('sends the content length of the filtered response', async () => {
    const response = await request(`/v1/wallet/${wallet.id}?fields=id`);
    expect(response.headers.get('content-length') ?? String(response.text.length)).toBe(String(response.text.length));
  });
});

onFakeNode('lists', ({ client }) => {
  const ROWS = 57;
  let wallet: TestWallet;
  let path: string;

  beforeAll(async () => {
    wallet = await client.wallet(1000);
    const other = await client.wallet();
    path = `/v1/wallet/${wallet.id}/transactions`;
    for (let n = 1; n < ROWS; n++) {
      await client.post(`/v1/wallet/${wallet.id}/transfer`, {
        dest_wallet_id: other.id,
        num_satoshis: n % 7 === 0 ? 2 : 1,
        memo: String(n),
      });
    }
  });

  const request = (to: string, key: string | undefined = client.secretKey) => client.request('GET', to, { key });
  const labels = ({ body }: HttpResponse): number[] =>
    body.map((row: Json) => Number(row.user_label === 'Playground' ? 0 : row.user_label));
  const numbers = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
  const headersOf = ({ headers }: HttpResponse) =>
    ['Total-Count', 'Page-Count', 'Current-Page', 'Per-Page'].map((name) => Number(headers.get(`X-Pagination-${name}`)));

  /** Returns the links of a response, by their relation. */
  function linksOf({ headers }: HttpResponse, of: string): Record<string, string> {
    const links = (headers.get('link') ?? '').split(', ').map((link) => /^<([^>]*)>; rel="(\w+)"$/.exec(link) ?? []);
    return Object.fromEntries(
      links.map(([, target = '', rel = '']) => [rel, new URL(target, client.url + of).href.slice(client.url.length)]),
    );
  }

  it('returns 50 items a page, newest first, and every item once over all pages', async () => {
    const first = await request(path);
    expect(labels(first)).toEqual(numbers(56, 7));
    expect(headersOf(first)).toEqual([ROWS, 2, 1, 50]);
    const second = await request(`${path}?page=2`);
    expect(labels(second)).toEqual(numbers(6, 0));
    expect(headersOf(second)).toEqual([ROWS, 2, 2, 50]);
    const ids = [...first.body, ...second.body].map(({ id }: Json) => id);
    expect(new Set(ids).size).toBe(ROWS);
  });

  it('accepts per-page up to 100', async () => {
    const ten = await request(`${path}?page=3&per-page=10`);
    expect(labels(ten)).toEqual(numbers(36, 27));
    expect(headersOf(ten)).toEqual([ROWS, 6, 3, 10]);
    for (const perPage of ['100', '101', '500', '9999999999999999']) {
      const all = await request(`${path}?per-page=${perPage}`);
      expect(labels(all)).toEqual(numbers(56, 0));
      expect(headersOf(all)).toEqual([ROWS, 1, 1, 100]);
    }
    expect(labels(await request(`${path}?page=&per-page=`))).toEqual(numbers(56, 7));
  });

  it('returns an empty list for a page past the end', async () => {
    for (const page of ['3', '1000000', '9999999999999999']) {
      const past = await request(`${path}?page=${page}`);
      expect([past.status, past.text]).toEqual([200, '[]']);
      expect(headersOf(past)).toEqual([ROWS, 2, Number(page), 50]);
      expect(linksOf(past, path).prev).toMatch('page=2');
    }
    const empty = await client.wallet();
    const none = await request(`/v1/wallet/${empty.id}/transactions`);
    expect(none.text).toBe('[]');
    expect(headersOf(none)[0]).toBe(0);
    expect(linksOf(none, path)).not.toHaveProperty('next');
    expect((await request('/v1/wallets?page=9999999999999999')).text).toBe('[]');
  });

  it('names the parameter when a page is not a whole number', async () => {
    for (const wrong of ['0', '-1', '1.5', '1e3', 'x', '0x1', '%2B1', '%201', 'NaN', '99999999999999999', '1&page=2']) {
      for (const to of [path, '/v1/wallets']) {
        const response = await request(`${to}?page=${wrong}`);
        expect([wrong, response.body]).toMatchObject([
          wrong,
          { status: 400, type: 'validation_failed', message: expect.stringContaining('page') },
        ]);
        const size = await request(`${to}?per-page=${wrong.replace('page', 'per-page')}`);
        expect([wrong, size.body]).toMatchObject([
          wrong,
          { status: 400, type: 'validation_failed', message: expect.stringContaining('per-page') },
        ]);
      }
    }
  });

  it('links pages by number in both directions', async () => {
    const seen: number[] = [];
    let at: string | undefined = `${path}?page=1&per-page=20&fields=user_label`;
    for (let pages = 0; at !== undefined && pages < 10; pages++) {
      const response: HttpResponse = await request(at);
      seen.push(...labels(response));
      const links = linksOf(response, path);
      expect(links.first).toContain('page=1&per-page=20');
      expect(links.last).toContain('page=3&per-page=20');
      expect('prev' in links).toBe(pages > 0);
      at = links.next;
    }
    expect(seen).toEqual(numbers(56, 0));
  });

  it('continues a page without a number after its last transaction', async () => {
    const seen: number[] = [];
    let at: string | undefined = `${path}?per-page=20&fields=user_label`;
    for (let pages = 0; at !== undefined && pages < 10; pages++) {
      const response: HttpResponse = await request(at);
      seen.push(...labels(response));
      const links = linksOf(response, path);
      if (links.next) expect(links.next).toContain('after=wtx_');
      at = links.next;
    }
    expect(seen).toEqual(numbers(56, 0));
  });

  it('repeats no credential and no key of the path in Link', async () => {
    const [newest] = await client.get(path);
    for (const [to, key] of [
      [`/v1/wallet/${wallet.admin}/transactions?access-token=${client.secretKey}&per-page=2&page=2&fields=id`, undefined],
      [
        `/v1/wallet/${wallet.admin}/transactions?access-token=${client.secretKey}&access-token=${client.secretKey}&per-page=2`,
        client.secretKey,
      ],
      [`/v1/user/wallet/${wallet.read}/transactions?per-page=2`, client.publicKey],
      [`/v1/wallets?access-token=${client.secretKey}&per-page=1`, undefined],
      [`/v1/wallet/${wallet.admin}/transactions?access-token=${client.secretKey}&per-page=2&after=${newest.id}`, undefined],
    ] as const) {
      const response = await client.request('GET', to, { key });
      expect(response.status).toBe(200);
      const link = response.headers.get('link') ?? '';
      expect(link).toContain('rel="next"');
      for (const secret of [client.secretKey, client.publicKey, wallet.admin, wallet.read]) {
        for (const header of response.headers.values()) expect(header).not.toContain(secret.split('_')[1]);
      }
      expect(link).not.toMatch(/access-token|sak_|waka_|\/\//);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('returns satoshis that add up to the balance', async () => {
    const rows = (await request(`${path}?per-page=100`)).body;
    const sum = rows.reduce((total: number, row: Json) => total + row.num_satoshis, 0);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(sum);
    for (const row of rows) expect(row.wal.id).toBe(wallet.id);
  });

  it('returns satoshis that add up to the balance when fees are fractions of one', async () => {
    const payer = await client.wallet(3000);
    const { nodes } = await client.get('/playground');
    const { pubkey } = nodes.find(({ name }: Json) => name === 'carol');
    for (const num_satoshis of [1, 7, 333, 100]) await client.post(`/v1/wallet/${payer.id}/keysend`, { dest_pubkey: pubkey, num_satoshis });
    const rows = (await request(`/v1/wallet/${payer.id}/transactions`)).body;
    const total = (field: string) => rows.reduce((sum: number, row: Json) => sum + row[field], 0);
    const { balance, balance_msat } = await client.get(`/v1/wallet/${payer.id}`);
    expect([total('num_satoshis'), total('num_msat')]).toEqual([balance, balance_msat]);
    expect(balance_msat % 1000).not.toBe(0);
  });

  it('lists the wallets of the account newest first', async () => {
    const made = [await client.wallet(), await client.wallet(), await client.wallet()].map(({ id }) => id);
    const list = await request('/v1/wallets?per-page=2&fields=id');
    expect(list.body.map(({ id }: Json) => id)).toEqual([made[2], made[1]]);
    expect((await request('/v1/wallets?per-page=2&page=2&fields=id')).body[0]).toEqual({ id: made[0] });
  });
});
