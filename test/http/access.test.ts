import { beforeAll, expect, it, vi } from 'vitest';
import { type App, onFakeNode } from '../support/app.ts';
import { loginTo } from '../support/browser.ts';
import type { Client, HttpResponse, Json, RequestOptions, TestWallet } from '../support/client.ts';
import { rawGet } from '../support/raw-get.ts';

const OPERATIONS = {
  'list wallets': (request) => request('GET', '/v1/wallets'),
  'make wallet': (request) => request('POST', '/v1/wallet', {}),
  'read wallet': (request, wallet) => request('GET', wallet),
  'list transactions': (request, wallet) => request('GET', `${wallet}/transactions`),
  'read statement': (request, wallet) => request('GET', `${wallet}/statement`),
  'make invoice': (request, wallet) => request('POST', `${wallet}/invoice`, { num_satoshis: 10 }),
  withdraw: (request, wallet, { payment_request }) => request('POST', `${wallet}/withdraw`, { payment_request }),
  keysend: (request, wallet, { alice }) => request('POST', `${wallet}/keysend`, { dest_pubkey: alice, num_satoshis: 10 }),
  transfer: (request, wallet, { sibling }) => request('POST', `${wallet}/transfer`, { dest_wallet_id: sibling, num_satoshis: 10 }),
  'get link': (request, wallet) => request('GET', `${wallet}/lnurl/withdraw?num_satoshis=10`),
  'post link': (request, wallet) => request('POST', `${wallet}/lnurl/withdraw`, { num_satoshis: 10 }),
  'read account': (request) => request('GET', '/v1/account'),
  'list keys': (request) => request('GET', '/v1/keys'),
  'make key': (request) => request('POST', '/v1/keys', { expiry: 60 }),
  'list wallet keys': (request, wallet) => request('GET', `${wallet}/keys`),
  'make wallet key': (request, wallet) => request('POST', `${wallet}/keys`, { kind: 'wallet_read', expiry: 60 }),
  'rotate wallet key': (request, wallet, { rotated }) => request('POST', `${wallet}/keys/${rotated}/rotate`, {}),
  'revoke wallet key': (request, wallet, { revoked }) => request('DELETE', `${wallet}/keys/${revoked}`),
  'change wallet': (request, wallet) => request('PATCH', wallet, { user_label: 'test' }),
  'read lntx': (request, _, { lntx }) => request('GET', `/v1/lntx/${lntx}`),
  playground: (request) => request('GET', '/playground'),
  'read node': (request) => request('GET', '/v1/node/default'),
  'decode invoice': (request, _, { payment_request }) =>
    request('GET', `/v1/node/default/payments/decodeinvoice?payment_request=${payment_request}`),
  'list accounts': (request) => request('GET', '/v1/accounts'),
  'make account': (request) => request('POST', '/v1/accounts', {}),
  'read other account': (request, _, { neighbourAccount }) => request('GET', `/v1/accounts/${neighbourAccount}`),
  'change other account': (request, _, { neighbourAccount }) => request('PATCH', `/v1/accounts/${neighbourAccount}`, { max_wallets: 0 }),
} as const satisfies Record<string, (request: RequestFunction, wallet: string, given: Given) => Promise<HttpResponse>>;

type RequestFunction = (method: string, path: string, json?: unknown) => Promise<HttpResponse>;
type Given = Record<'payment_request' | 'alice' | 'sibling' | 'lntx' | 'rotated' | 'revoked' | 'neighbourAccount', string>;
type Operation = keyof typeof OPERATIONS;

/** The operations that read an invoice of another node: each gets another one. */
const NEEDS_INVOICE: readonly string[] = ['withdraw', 'decode invoice'] satisfies Operation[];
const MONEY_OUT: readonly string[] = ['withdraw', 'keysend', 'transfer'] satisfies Operation[];

// The credential, the wallet identifier in the path, and the status of every operation in the order above. `read-as-admin`
// is the read key's secret under the admin prefix. The sibling is another wallet of the account. The neighbour is another account.
// A `limited` key has a budget. A session is sent as a cookie, from a page of the service. A rotation of `rotated` returned `rotated-to`. `account` and `wallet`: their keys, and the wallet's label.
const PERMISSIONS = `
  credential       path            wallets     wallet  history     in   out             links     account          wallet                  lntx  playground  node             accounts
                                   list make   read    list csv    inv  wit  key  tra   get post  get list make    list make rot rev chg   read              read decode       list make read chg
  sak              id              200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200
  sak              admin           200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200
  sak              read            200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200
  sak              lnurl-pay       200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200
  session          id              200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200
  pak              id              403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  pak              admin           403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  pak              invoice         403  403    403     200 200     201  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  pak              read            403  403    200     200 200     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  pak              lnurl-withdraw  403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  pak              lnurl-pay       403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  admin            admin           403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403
  admin            id              403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403
  invoice          invoice         403  403    403     200 200     201  403  403  403   403 403   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403
  read             read            403  403    200     200 200     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403
  read             admin           403  403    200     200 200     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403
  lnurl-withdraw   lnurl-withdraw  403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     403   403         403  403         403  403  403  403
  lnurl-withdraw   admin           403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     403   403         403  403         403  403  403  403
  lnurl-pay        id              403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     403   403         403  403         403  403  403  403
  sibling-admin    id              403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   200         200  200         403  403  403  403
  sibling-admin    admin           403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   200         200  200         403  403  403  403
  neighbour-sak    id              200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     404   200         200  200         403  403  403  403
  other-session    id              200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     404   200         200  200         403  403  403  403
  neighbour-sak    admin           200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     404   200         200  200         403  403  403  403
  neighbour-pak    admin           403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   403         200  200         403  403  403  403
  neighbour-admin  id              403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   200         200  200         403  403  403  403
  sak              neighbour-id    200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200
  sak              neighbour-admin 200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200
  pak              neighbour-admin 403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  sak              unknown-id      200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200
  sak              unknown-admin   200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200
  pak              unknown-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  pak              read-as-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  read-as-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  pak-as-sak       id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  id               id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  unknown-sak      id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  ended-session    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  unknown-admin    unknown-admin   401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  nothing          admin           401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  expired-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  revoked-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  rotated-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  expired-sak      id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  revoked-sak      id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401
  sak              revoked-admin   200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200
  pak              revoked-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  sak              expired-admin   200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200
  pak              expired-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403
  rotated-to       id              403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403
  limited-sak      id              200  403    200     200 200     201  201  201  201   200 201   200 403 403      403 403 403 403 200     200   200         200  200         403  403  403  403`;

const ROWS = PERMISSIONS.trim()
  .split('\n')
  .slice(2)
  .map((line) => line.trim().split(/\s+/))
  .map(([credential = '', path = '', ...statuses]) => ({ credential, path, statuses: statuses.map(Number) }));

onFakeNode('permissions of each credential', ({ client, neighbour }) => {
  let keys: Record<string, string | undefined>;
  let wallet: TestWallet;
  const given = {} as Given;

  beforeAll(async () => {
    const [sibling, foreign] = [await client.wallet(), await neighbour.wallet()];
    wallet = await client.wallet(50_000);
    keys = keyring({ client, neighbour }, wallet, sibling, foreign);
    const { nodes } = await client.get('/playground');
    given.alice = nodes.find(({ name }: Json) => name === 'alice').pubkey;
    given.sibling = sibling.id;
    given.neighbourAccount = (await neighbour.get('/v1/account')).id;
    Object.assign(keys, await endedKeys(client, wallet), await sessions(client, neighbour));
    given.lntx = (await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1, passThru: { a: 1 } })).id;
  });

  const balance = async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance;

  it.each(['/v1/wallet', '/v1/user/wallet'].flatMap((base) => ROWS.map((row) => ({ base, ...row }))))(
    'A2: $credential with $path in $base',
    async ({ base, credential, path, statuses }) => {
      const before = await balance();
      const key = keys[credential];
      const spare = async () => (await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read' })).id;
      [given.rotated, given.revoked] = [await spare(), await spare()];
      const seen: Record<string, number> = {};
      for (const [name, operation] of Object.entries(OPERATIONS)) {
        if (NEEDS_INVOICE.includes(name))
          given.payment_request = (await client.post('/playground/invoice', { num_satoshis: 10 })).payment_request;
        const response = await operation(
          (method, to, json) => client.request(method, to, { ...sentAs(key), json }),
          `${base}/${keys[path]}`,
          given,
        );
        seen[name] = response.status;
        if (response.status === 403)
          expect(response.body.message).toMatch(/the permission wallet_(read|tx_read|deposit|transfer|withdraw)\.|secret/);
        if (response.status >= 400) expect(response.text).not.toContain(keys[path]?.split('_')[1]);
      }
      expect(seen).toEqual(Object.fromEntries(Object.keys(OPERATIONS).map((name, i) => [name, statuses[i]])));
      const paid = Object.keys(OPERATIONS).filter((name) => MONEY_OUT.includes(name) && seen[name] === 201);
      expect(await balance()).toBe(before - 10 * paid.length);
    },
  );

  it('A1: rejects wallet keys and public keys that list or create objects in the account', async () => {
    const others = ['pak', 'admin', 'invoice', 'read', 'lnurl-withdraw', 'lnurl-pay', 'sibling-admin'];
    for (const key of others.map((name) => keys[name])) {
      for (const response of [
        await client.request('GET', '/v1/wallets', { key }),
        await client.request('POST', '/v1/wallet', { key, json: {} }),
      ]) {
        expect(response.body).toMatchObject({ status: 403, name: 'Forbidden', type: 'forbidden' });
      }
    }
  });

  it('rejects a public identifier that controls an outside node, and a wallet key that funds another wallet', async () => {
    const { payment_request: ours } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1 });
    const before = await balance();
    const routes: [method: string, path: string, json?: object][] = [
      ['GET', '/playground'],
      ['GET', '/playground/payments'],
      ['POST', '/playground/pay', { payment_request: ours }],
      ['POST', '/playground/fund', { wallet_id: wallet.id, num_satoshis: 1 }],
      ['POST', '/playground/keysend', { num_satoshis: 1, custom_records: { '696969': wallet.id } }],
      ['POST', '/playground/invoice', { num_satoshis: 1 }],
      ['POST', `/playground/hold/${'0'.repeat(64)}`, { action: 'cancel' }],
    ];
    for (const [method, path, json] of routes) {
      const statusFor = async (name: string) => (await client.request(method, path, { key: keys[name], json })).status;
      expect([path, await statusFor('nothing'), await statusFor('unknown-sak')]).toEqual([path, 401, 401]);
      expect([path, await statusFor('pak'), await statusFor('lnurl-withdraw'), await statusFor('lnurl-pay')]).toEqual([
        path,
        403,
        403,
        403,
      ]);
    }
    const fund = (name: string) =>
      client.request('POST', '/playground/fund', { key: keys[name], json: { wallet_id: wallet.id, num_satoshis: 1 } });
    expect([(await fund('sibling-admin')).status, (await fund('read')).status]).toEqual([404, 403]);
    expect(await balance()).toBe(before);
  });
});

/** How a test sends a credential of the table. */
function sentAs(credential: string | undefined): RequestOptions {
  if (!credential?.startsWith('satchel_session=')) return { key: credential };
  return { headers: { cookie: credential, 'sec-fetch-site': 'same-origin' } };
}

/** The cookies of sessions of both accounts, and of one that has ended. */
async function sessions(client: Client, neighbour: Client): Promise<Record<string, string>> {
  const login = async (of: Client) => (await loginTo(client, (await of.get('/v1/account')).id)).browser;
  const ended = await login(client);
  const { cookie } = ended;
  await ended.send('DELETE', '/v1/session');
  const isUnknown = async () => (await client.request('GET', '/v1/session', sentAs(cookie))).status === 401;
  await vi.waitUntil(isUnknown, { timeout: 60_000, interval: 100 });
  return { session: (await login(client)).cookie, 'other-session': (await login(neighbour)).cookie, 'ended-session': cookie };
}

/** Keys that are no longer valid, for each possible reason, and the valid keys that remain. */
async function endedKeys(client: Client, wallet: TestWallet): Promise<Record<string, string>> {
  const keysOf = { admin: `/v1/wallet/${wallet.id}/keys`, sak: '/v1/keys' };
  const make = (name: 'admin' | 'sak', json: object = {}): Promise<Json> =>
    client.post(keysOf[name], { kind: name === 'admin' ? 'wallet_admin' : 'secret_api', ...json });
  const [rotated, revokedAdmin, revokedSak] = [await make('admin'), await make('admin'), await make('sak')];
  const [expiredAdmin, expiredSak] = await anHourAgo(async () => [await make('admin', { expiry: 60 }), await make('sak', { expiry: 60 })]);
  for (const path of [`${keysOf.admin}/${revokedAdmin.id}`, `${keysOf.sak}/${revokedSak.id}`]) {
    expect((await client.request('DELETE', path, { key: client.secretKey })).body).toMatchObject({ status: 'revoked' });
  }
  const replacement = await client.post(`${keysOf.admin}/${rotated.id}/rotate`);
  for (const { key } of [rotated, revokedAdmin, revokedSak, expiredAdmin, expiredSak]) {
    const isUnknown = async () => (await client.request('GET', `/v1/wallet/${wallet.id}`, { key })).status === 401;
    await vi.waitUntil(isUnknown, { timeout: 60_000, interval: 100 });
  }
  return {
    'rotated-admin': rotated.key,
    'rotated-to': replacement.key,
    'revoked-admin': revokedAdmin.key,
    'revoked-sak': revokedSak.key,
    'expired-admin': expiredAdmin.key,
    'expired-sak': expiredSak.key,
    'limited-sak': (await make('sak', { budget_msat: 1_000_000, budget_period: 'ever' })).key,
  };
}

/** Sets the clock of the service back by an hour during some work. */
async function anHourAgo<T>(work: () => Promise<T>): Promise<T> {
  const now = Date.now;
  Date.now = () => now() - 3_600_000;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/** The credentials and wallet identifiers, by their names in the table. */
function keyring({ client, neighbour }: Pick<App, 'client' | 'neighbour'>, wallet: TestWallet, sibling: TestWallet, foreign: TestWallet) {
  return {
    sak: client.secretKey,
    pak: client.publicKey,
    id: wallet.id,
    admin: wallet.admin,
    invoice: wallet.invoice,
    read: wallet.read,
    'lnurl-withdraw': wallet.lnurlWithdraw,
    'lnurl-pay': wallet.lnurlPay,
    'sibling-admin': sibling.admin,
    'neighbour-sak': neighbour.secretKey,
    'neighbour-pak': neighbour.publicKey,
    'neighbour-id': foreign.id,
    'neighbour-admin': foreign.admin,
    'unknown-sak': 'sak_000000000000000000000000',
    'unknown-admin': 'waka_000000000000000000000000',
    'unknown-id': 'wal_0000000000000000000000',
    'read-as-admin': wallet.read.replace('wakr_', 'waka_'),
    'pak-as-sak': client.publicKey.replace('pak_', 'sak_'),
    nothing: undefined,
  };
}

onFakeNode('A3: objects of another account are not found', ({ client, neighbour }) => {
  const anonymous = ({ body }: HttpResponse) => ({ ...body, request_id: undefined });

  it('returns the same error for wallets, transactions and destinations of another account as for unknown ones', async () => {
    const [mine, theirs] = [await client.wallet(100), await neighbour.wallet(100)];
    const invoice = await neighbour.post(`/v1/wallet/${theirs.id}/invoice`, { num_satoshis: 5 });
    const transfer = (dest_wallet_id: string) => ({ dest_wallet_id, num_satoshis: 1 });
    const pairs: [method: string, foreign: string, unknown: string, json?: [foreign: unknown, unknown: unknown]][] = [
      ['GET', `/v1/wallet/${theirs.id}`, '/v1/wallet/wal_0000000000000000000000'],
      ['GET', `/v1/wallet/${theirs.admin}`, '/v1/wallet/waka_000000000000000000000000'],
      ['GET', `/v1/wallet/${theirs.id}/transactions`, '/v1/wallet/wal_0000000000000000000000/transactions'],
      ['GET', `/v1/wallet/${theirs.id}/statement`, '/v1/wallet/wal_0000000000000000000000/statement'],
      ['GET', `/v1/lntx/${invoice.id}`, '/v1/lntx/lntx_0000000000000000000000'],
      ['GET', `/v1/lntx/${invoice.r_hash_decoded}`, `/v1/lntx/${'0'.repeat(64)}`],
      ['GET', `/v1/wallet/${theirs.lnurlWithdraw}/lnurl/withdraw`, '/v1/wallet/waklw_000000000000000000000000/lnurl/withdraw'],
      ['POST', `/v1/wallet/${mine.id}/transfer`, `/v1/wallet/${mine.id}/transfer`, [transfer(theirs.id), transfer('wal_0')]],
      ['POST', `/v1/wallet/${mine.id}/transfer`, `/v1/wallet/${mine.id}/transfer`, [transfer(theirs.admin), transfer('waka_0')]],
      [
        'POST',
        '/playground/fund',
        '/playground/fund',
        [
          { wallet_id: theirs.id, num_satoshis: 1 },
          { wallet_id: 'wal_0', num_satoshis: 1 },
        ],
      ],
    ];
    for (const key of [client.secretKey, client.publicKey, mine.admin]) {
      for (const [method, foreign, unknown, json] of pairs) {
        const [first, second] = [
          await client.request(method, foreign, { key, json: json?.[0] }),
          await client.request(method, unknown, { key, json: json?.[1] }),
        ];
        expect(first.status).toBe(second.status);
        // A public key alone cannot transfer, whatever the destination.
        const needsMore = key === client.publicKey && unknown.endsWith('/transfer');
        expect(first.status).toBe(needsMore ? 403 : 404);
        expect(anonymous(first)).toEqual(anonymous(second));
        expect([...first.headers.keys()]).toEqual([...second.headers.keys()]);
      }
    }
    expect((await neighbour.get(`/v1/wallet/${theirs.id}`)).balance).toBe(100);
  });

  it('rejects a transaction of another wallet as a cursor, with the error for an unknown one', async () => {
    const [mine, sibling, theirs] = [await client.wallet(100), await client.wallet(100), await neighbour.wallet(100)];
    const [ours] = await client.get(`/v1/wallet/${sibling.id}/transactions`);
    const [foreign] = await neighbour.get(`/v1/wallet/${theirs.id}/transactions`);
    const after = (id: string) => client.request('GET', `/v1/wallet/${mine.id}/transactions?after=${id}`, { key: client.secretKey });
    const [unknown, ...known] = [await after(`wtx_${'0'.repeat(22)}i`), await after(ours.id), await after(foreign.id)];
    expect(unknown?.body).toMatchObject({ status: 400, type: 'validation_failed' });
    for (const response of known) expect(anonymous(response)).toEqual(anonymous(unknown as HttpResponse));
  });

  it('lists nothing of another account', async () => {
    await neighbour.wallet();
    const [mine, theirs] = [await client.get('/v1/wallets'), await neighbour.get('/v1/wallets')];
    const ids = (list: Json[]) => list.map(({ id }) => id);
    expect(ids(mine).filter((id: string) => ids(theirs).includes(id))).toEqual([]);
  });

  it('returns a transaction to a public API key alone without its preimage, its records and its passThru', async () => {
    const wallet = await client.wallet();
    const made = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5, passThru: { order: 'secret' } });
    await client.post('/playground/pay', { payment_request: made.payment_request });
    const full = await client.get(`/v1/lntx/${made.id}`);
    expect(full).toMatchObject({ settled: 1, passThru: { order: 'secret' } });
    const reduced = await client.request('GET', `/v1/lntx/${made.id}`, { key: client.publicKey });
    expect(reduced.body).toEqual({ ...full, payment_preimage: null, passThru: null });
    expect(full.payment_preimage).toMatch(/^[0-9a-f]{64}$/);
  });
});

onFakeNode('forms of credentials', ({ client }) => {
  const basic = (user: string, password = '') => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });
  const statusOf = async (path: string, headers: Record<string, string> = {}) => (await client.request('GET', path, { headers })).status;

  it('accepts X-Api-Key, Bearer, access-token and the user name of HTTP Basic', async () => {
    const { secretKey } = client;
    expect(await statusOf('/v1/wallets', { 'x-api-key': secretKey })).toBe(200);
    expect(await statusOf('/v1/wallets', { authorization: `Bearer ${secretKey}` })).toBe(200);
    expect(await statusOf('/v1/wallets', { authorization: `bearer ${secretKey}` })).toBe(200);
    expect(await statusOf(`/v1/wallets?access-token=${secretKey}`)).toBe(200);
    expect(await statusOf('/v1/wallets', basic(secretKey))).toBe(200);
    expect(await statusOf('/v1/wallets', basic(secretKey, 'ignored'))).toBe(200);
    expect(await statusOf('/v1/wallets', { authorization: basic(secretKey).authorization.replace('Basic', 'BASIC') })).toBe(200);
  });

  it('ignores the case of header names, but not of keys', async () => {
    const { status } = await rawGet(`${client.url}/v1/wallets`, { 'X-API-KEY': client.secretKey });
    expect(status).toBe(200);
    expect(await statusOf('/v1/wallets', { 'x-api-key': client.secretKey.toUpperCase() })).toBe(401);
    expect(await statusOf(`/v1/wallets?Access-Token=${client.secretKey}`)).toBe(401);
  });

  it('uses the first credential found, even a wrong one', async () => {
    const { secretKey } = client;
    const inOrder: [path: string, headers: Record<string, string>][] = [
      ['/v1/wallets', { 'x-api-key': 'KEY' }],
      ['/v1/wallets', { authorization: 'Bearer KEY' }],
      ['/v1/wallets?access-token=KEY', {}],
      ['/v1/wallets', basic('KEY')],
    ];
    const fill = (text: string, key: string) => text.replace('KEY', key);
    for (const [first, [path, headers]] of inOrder.entries()) {
      for (const [laterPath, laterHeaders] of inOrder.slice(first + 1)) {
        // Bearer and Basic share one header, which holds one of them.
        if ('authorization' in headers && 'authorization' in laterHeaders) continue;
        const present = (key: string, other: string) => {
          const mine = Object.entries(headers).map(([name, value]) => [name, fill(value, key)]);
          const theirs = Object.entries(laterHeaders).map(([name, value]) => [
            name,
            value.startsWith('Basic') ? basic(other).authorization : fill(value, other),
          ]);
          const query = path.includes('?') ? fill(path, key) : fill(laterPath, other);
          return statusOf(query, Object.fromEntries([...theirs, ...mine]));
        };
        expect(await present(secretKey, 'sak_wrong')).toBe(200);
        expect(await present('sak_wrong', secretKey)).toBe(401);
      }
    }
  });

  it('offers Basic with a 401, but never opens the dialog of a browser page', async () => {
    const plain = await rawGet(`${client.url}/v1/wallets`, {});
    expect(plain.status).toBe(401);
    expect(plain.headers['www-authenticate']).toBe('Basic realm="api"');
    // Node’s fetch sends Sec-Fetch-Mode, as browsers do.
    const byFetch = await client.request('GET', '/v1/wallets');
    expect(byFetch.body).toMatchObject({ name: 'Unauthorized', status: 401, code: 0, type: 'unauthorized' });
    expect(byFetch.headers.has('www-authenticate')).toBe(false);
  });

  it('accepts the short key prefixes of old clients', async () => {
    const wallet = await client.wallet(100);
    const short = {
      admin: wallet.admin.replace('waka_', 'wa_'),
      invoice: wallet.invoice.replace('waki_', 'wi_'),
      read: wallet.read.replace('wakr_', 'wr_'),
    };
    for (const key of [client.publicKey, short.admin]) {
      expect((await client.request('GET', `/v1/wallet/${short.admin}`, { key })).body).toMatchObject({ id: wallet.id, balance: 100 });
      const made = await client.request('POST', `/v1/user/wallet/${short.admin}/invoice`, { key, json: { num_satoshis: 1 } });
      expect(made.status).toBe(201);
    }
    expect((await client.request('POST', `/v1/wallet/${short.invoice}/invoice`, { key: client.publicKey, json: {} })).status).toBe(201);
    expect((await client.request('GET', `/v1/wallet/${short.read}/transactions`, { key: client.publicKey })).body).toHaveLength(1);
    expect((await client.request('GET', `/v1/wallet/${short.read}`, { key: short.read })).status).toBe(200);
    // The secret is still bound to its kind.
    expect((await client.request('GET', `/v1/wallet/${wallet.read.replace('wakr_', 'wa_')}`, { key: client.publicKey })).status).toBe(404);
    expect((await client.request('GET', `/v1/wallet/${wallet.admin.replace('waka_', 'wal_')}`, { key: client.publicKey })).status).toBe(
      404,
    );
  });
});

onFakeNode('methods', ({ client }) => {
  it('returns 405 and the allowed methods for another method at a known address', async () => {
    const cases: [method: string, path: string, allow: string][] = [
      ['DELETE', '/v1/wallets', 'GET, HEAD'],
      ['GET', '/v1/wallet', 'POST'],
      ['PUT', '/v1/wallet/wal_0', 'GET, HEAD, PATCH'],
      ['GET', '/v1/wallet/wal_0/invoice', 'POST'],
      ['GET', '/v1/user/wallet/wal_0/keysend', 'POST'],
      ['PATCH', '/v1/wallet/wal_0/lnurl/withdraw', 'GET, POST'],
      ['POST', '/v1/lntx/lntx_0', 'DELETE, GET, HEAD'],
    ];
    for (const [method, path, allow] of cases) {
      const response = await client.request(method, path);
      expect(response.body).toMatchObject({ name: 'Method Not Allowed', status: 405, code: 0, type: 'method_not_allowed' });
      expect(response.headers.get('allow')).toBe(allow);
    }
  });

  it('returns the error object with a 404 for an unknown address', async () => {
    for (const path of ['/nothing', '/v1', '/v1/nothing', '/v2/wallets', '/v1/wallet/wal_0/nothing', '/v1//wallets']) {
      const response = await client.request('GET', path, { key: client.secretKey });
      expect([path, response.body]).toMatchObject([path, { name: 'Not Found', status: 404, code: 0, type: 'not_found' }]);
    }
    expect((await client.request('GET', '/nothing')).body.message).toContain('/docs');
  });
});
