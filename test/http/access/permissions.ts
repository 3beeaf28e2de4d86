import { beforeAll, expect, it, vi } from 'vitest';
import type { App } from '../../support/app.ts';
import { loginTo } from '../../support/browser.ts';
import type { Client, HttpResponse, Json, RequestOptions, TestWallet } from '../../support/client.ts';

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
  'list notes': (request, _, { neighbourAccount }) => request('GET', `/v1/accounts/${neighbourAccount}/notes`),
  'list passkeys': (request) => request('GET', '/v1/session/passkeys'),
  'list linked keys': (request) => request('GET', '/v1/session/linked-keys'),
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
  credential       path            wallets     wallet  history     in   out             links     account          wallet                  lntx  playground  node             accounts                 logins
                                   list make   read    list csv    inv  wit  key  tra   get post  get list make    list make rot rev chg   read              read decode       list make read chg  hist passkeys linked
  sak              id              200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200  200  200      200
  sak              admin           200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200  200  200      200
  sak              read            200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200  200  200      200
  sak              lnurl-pay       200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200  200  200      200
  session          id              200  201    200     200 200     201  201  201  201   200 201   200 200 201      200 201 201 200 200     200   200         200  200         200  201  200  200  200  200      200
  pak              id              403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  pak              admin           403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  pak              invoice         403  403    403     200 200     201  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  pak              read            403  403    200     200 200     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  pak              lnurl-withdraw  403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  pak              lnurl-pay       403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  admin            admin           403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403  403  403      403
  admin            id              403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403  403  403      403
  invoice          invoice         403  403    403     200 200     201  403  403  403   403 403   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403  403  403      403
  read             read            403  403    200     200 200     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403  403  403      403
  read             admin           403  403    200     200 200     403  403  403  403   403 403   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403  403  403      403
  lnurl-withdraw   lnurl-withdraw  403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     403   403         403  403         403  403  403  403  403  403      403
  lnurl-withdraw   admin           403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     403   403         403  403         403  403  403  403  403  403      403
  lnurl-pay        id              403  403    403     403 403     403  403  403  403   403 403   403 403 403      403 403 403 403 403     403   403         403  403         403  403  403  403  403  403      403
  sibling-admin    id              403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   200         200  200         403  403  403  403  403  403      403
  sibling-admin    admin           403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   200         200  200         403  403  403  403  403  403      403
  neighbour-sak    id              200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     404   200         200  200         403  403  403  403  403  200      200
  other-session    id              200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     404   200         200  200         403  403  403  403  403  200      200
  neighbour-sak    admin           200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     404   200         200  200         403  403  403  403  403  200      200
  neighbour-pak    admin           403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   403         200  200         403  403  403  403  403  403      403
  neighbour-admin  id              403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     404   200         200  200         403  403  403  403  403  403      403
  sak              neighbour-id    200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200  200  200      200
  sak              neighbour-admin 200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200  200  200      200
  pak              neighbour-admin 403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  sak              unknown-id      200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200  200  200      200
  sak              unknown-admin   200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200  200  200      200
  pak              unknown-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  pak              read-as-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  read-as-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  pak-as-sak       id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  id               id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  unknown-sak      id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  ended-session    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  unknown-admin    unknown-admin   401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  nothing          admin           401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  expired-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  revoked-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  rotated-admin    id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  expired-sak      id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  revoked-sak      id              401  401    401     401 401     401  401  401  401   401 401   401 401 401      401 401 401 401 401     401   401         401  401         401  401  401  401  401  401      401
  sak              revoked-admin   200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200  200  200      200
  pak              revoked-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  sak              expired-admin   200  201    404     404 404     404  404  404  404   404 404   200 200 201      404 404 404 404 404     200   200         200  200         200  201  200  200  200  200      200
  pak              expired-admin   403  403    404     404 404     404  404  404  404   404 404   403 403 403      403 403 403 403 403     200   403         200  200         403  403  403  403  403  403      403
  rotated-to       id              403  403    200     200 200     201  201  201  201   200 201   403 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403  403  403      403
  limited-sak      id              200  403    200     200 200     201  201  201  201   200 201   200 403 403      403 403 403 403 403     200   200         200  200         403  403  403  403  403  403      403`;

const ROWS = PERMISSIONS.trim()
  .split('\n')
  .slice(2)
  .map((line) => line.trim().split(/\s+/))
  .map(([credential = '', path = '', ...statuses]) => ({ credential, path, statuses: statuses.map(Number) }));

export interface Permissions {
  /** Returns a credential by its name in the table. */
  key(name: string): string | undefined;
  wallet(): TestWallet;
  balance(): Promise<number>;
}

/** Tests every operation with every credential. `base` is one of the two paths of wallets. */
export function testPermissions({ client, neighbour }: Pick<App, 'client' | 'neighbour'>, base: string): Permissions {
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

  it.each(ROWS)(`A2: $credential with $path in ${base}`, async ({ credential, path, statuses }) => {
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
        expect(response.body.message).toMatch(/the permission wallet_(read|tx_read|deposit|transfer|withdraw)\.|secret|a budget or a cap/);
      if (response.status >= 400) expect(response.text).not.toContain(keys[path]?.split('_')[1]);
    }
    expect(seen).toEqual(Object.fromEntries(Object.keys(OPERATIONS).map((name, i) => [name, statuses[i]])));
    const paid = Object.keys(OPERATIONS).filter((name) => MONEY_OUT.includes(name) && seen[name] === 201);
    expect(await balance()).toBe(before - 10 * paid.length);
  });

  return { key: (name) => keys[name], wallet: () => wallet, balance };
}

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
  await vi.waitUntil(isUnknown, { timeout: 150_000, interval: 100 });
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
    await vi.waitUntil(isUnknown, { timeout: 150_000, interval: 100 });
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
