import { LinkingKey } from '../../lnurl/linking-key.ts';
import type { Json } from '../../support/client.ts';
import type { RecordedResponse, Recorder } from './recorder.ts';
import type { Secrets } from './secrets.ts';

/** The objects that a run has created, for requests that use them. */
export interface Made {
  readonly secretKey: string;
  readonly wallet: string;
  readonly keys: Record<'admin' | 'invoice' | 'read', string>;
  readonly ott: string;
  readonly balanceToken: string;
  readonly openInvoice: Json;
  readonly paidInvoice: Json;
}

/** Creates at least one secret of every kind, and uses it in every way. */
export async function beBusy(recorder: Recorder, secrets: Secrets, secretKey: string): Promise<Made> {
  const request = async (method: string, path: string, json?: object, headers: Record<string, string> = {}): Promise<RecordedResponse> => {
    const response = await recorder.request(method, path, { key: secretKey, ...(json && { json }), headers });
    if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${response.text}`);
    return response;
  };
  const { wallet, keys } = await makeWallet(request, secrets);
  await makeWebhook(request, secrets);
  const other = (await request('POST', '/v1/wallet', { user_label: 'other' })).body;
  for (const [name, [key]] of Object.entries(other.access_keys as Record<string, [string]>))
    if (!name.includes('LNURL'))
      secrets.learn(`other wallet: ${name}`, key, (response) => response.body?.id === other.id && response.body.access_keys);

  const base = `/v1/wallet/${keys.admin}`;
  const invoice = async (num_satoshis: number) => (await request('POST', `${base}/invoice`, { num_satoshis })).body;
  const outside = async (num_satoshis: number) => (await request('POST', '/playground/invoice', { num_satoshis })).body.payment_request;
  const paidInvoice = await invoice(5000);
  await request('POST', '/playground/pay', { payment_request: paidInvoice.payment_request });
  const openInvoice = await invoice(7);
  await request('GET', `/v1/lntx/${paidInvoice.id}?access-token=${keys.read}`);
  await request('POST', `${base}/withdraw`, { payment_request: await outside(100) }, { 'idempotency-key': 'withdraw' });
  await request('POST', `${base}/transfer`, { dest_wallet_id: other.access_keys['Wallet Admin'][0], num_satoshis: 10 });
  const { nodes, unreachable_pubkey } = (await request('GET', '/playground')).body;
  const { pubkey } = nodes.find(({ name }: Json) => name === 'alice');
  await request('POST', `${base}/keysend`, { dest_pubkey: pubkey, num_satoshis: 1 });
  await recorder.request('POST', `${base}/keysend`, { key: keys.admin, json: { dest_pubkey: unreachable_pubkey, num_satoshis: 1 } });
  for (const path of ['', '/transactions?per-page=1', '/statement']) await request('GET', `${base}${path}`);
  await request('GET', `/v1/wallets?per-page=1&access-token=${secretKey}`);
  const basic = { authorization: `Basic ${Buffer.from(`${keys.admin}:`).toString('base64')}` };
  await recorder.request('GET', `/v1/user/wallet/${wallet}`, { headers: basic });
  await recorder.request('GET', `/v1/wallet/${wallet}`, { headers: { authorization: `Bearer ${keys.read}` } });
  await makeKeys(request, secrets, base);
  await useApp(request, recorder, secrets, keys.admin);
  await logIn(request, recorder, secrets);
  return {
    secretKey,
    wallet,
    keys,
    openInvoice,
    paidInvoice,
    ...(await useLinks(request, recorder, secrets, { secretKey, base, outside })),
  };
}

type RequestFunction = (method: string, path: string, json?: object, headers?: Record<string, string>) => Promise<RecordedResponse>;

/** The keys of the wallet may also be in the replay of the response that created them. */
async function makeWallet(request: RequestFunction, secrets: Secrets): Promise<Pick<Made, 'wallet' | 'keys'>> {
  const named = { 'idempotency-key': 'the first wallet' };
  const { body } = await request('POST', '/v1/wallet', { user_label: 'busy' }, named);
  const key = (name: string): string => {
    const text = body.access_keys[name][0];
    secrets.learn(name, text, (response) => response.request === 'POST /v1/wallet' && response.body?.id === body.id);
    return text;
  };
  const keys = { admin: key('Wallet Admin'), invoice: key('Wallet Invoice'), read: key('Wallet Read') };
  const replayed = await request('POST', '/v1/wallet', { user_label: 'busy' }, named);
  if (replayed.body.access_keys['Wallet Admin'][0] !== keys.admin) throw new Error('the replay is another answer');
  return { wallet: body.id, keys };
}

/** Logs a wallet app in by the LNDhub API, and uses its tokens and its key in each form, also wrongly. */
async function useApp(request: RequestFunction, recorder: Recorder, secrets: Secrets, key: string): Promise<void> {
  const api = '/lndhub/ext';
  const { body } = await request('POST', `${api}/auth?type=auth`, { login: 'admin', password: key });
  for (const name of ['access_token', 'refresh_token'])
    secrets.learn(`the signature of an ${name}`, body[name].split('.')[2], (response) => response.body?.[name] === body[name]);
  for (const bearer of [body.access_token, Buffer.from(`admin:${key}`).toString('base64'), key]) {
    const headers = { authorization: `Bearer ${bearer}` };
    await request('GET', `${api}/getuserinvoices`, undefined, headers);
    await recorder.request('POST', `${api}/payinvoice`, { headers, json: { invoice: key, password: key } });
    await recorder.request('POST', `${api}/payinvoice`, { headers, json: `{"invoice":"${key}` });
  }
  const wrong = [{ login: key, password: `${key}x` }, { refresh_token: body.access_token }, { login: 'admin', password: [key] }];
  for (const json of wrong) await recorder.request('POST', `${api}/auth`, { json });
}

/** Creates, lists, rotates, replays and revokes keys of the account and of the wallet. Each key is shown once. */
async function makeKeys(request: RequestFunction, secrets: Secrets, base: string): Promise<void> {
  for (const [path, kind] of [['/v1/keys', 'secret_api'] as const, [`${base}/keys`, 'wallet_admin'] as const]) {
    const named = { 'idempotency-key': `a key of ${kind}` };
    const { body } = await request('POST', path, { kind, user_label: 'till' }, named);
    secrets.learn(`a new ${kind} key`, body.key, (response) => response.body?.key === body.key);
    await request('POST', path, { kind, user_label: 'till' }, named);
    const rotated = (await request('POST', `${path}/${body.id}/rotate`, { overlap_seconds: 60 })).body;
    secrets.learn(`a rotated ${kind} key`, rotated.key, (response) => response.body?.key === rotated.key);
    await request('GET', `${path}?per-page=1`);
    await request('DELETE', `${path}/${rotated.id}`);
  }
  await request('GET', '/v1/account');
}

/** Sets up a login, fails to log in, logs in, uses the session and ends it. A password is in no response. */
async function logIn(request: RequestFunction, recorder: Recorder, secrets: Secrets): Promise<void> {
  const page = { 'sec-fetch-site': 'same-origin' };
  const [password, wrong] = ['the password of a person', 'the wrong password of a person'];
  for (const text of [password, wrong]) secrets.learn(`password ${text}`, text);
  const named = { 'idempotency-key': 'an invitation' };
  const { body } = await request('POST', '/v1/accounts', { invite: true }, named);
  const token = new URL(body.setup_url).hash.slice(1);
  secrets.learn('setup token', token, ({ request: sent, body: shown }) => sent === 'POST /v1/accounts' && shown?.id === body.id);
  await request('POST', '/v1/accounts', { invite: true }, named);
  const email = 'person@example.com';
  const learnSession = (name: string, { text }: RecordedResponse): string => {
    const secret = /satchel_session=(\w{43})/.exec(text)?.[1] ?? '';
    secrets.learn(name, secret, (response) => response.text === text);
    return `satchel_session=${secret}`;
  };
  const send = (method: string, path: string, json: object | undefined, headers = {}) =>
    recorder.request(method, path, { ...(json && { json }), headers: { ...page, ...headers } });
  learnSession('session of a setup', await send('POST', '/v1/session/setup', { token, email, password }));
  await send('POST', '/v1/session/setup', { token, email, password });
  await send('POST', '/v1/session', { email, password: wrong });
  const cookie = learnSession(
    'session of a login',
    await send('POST', '/v1/session', { email, password }, { 'idempotency-key': 'a login' }),
  );
  await send('POST', '/v1/wallet', {}, { cookie, 'idempotency-key': 'a wallet of a session' }).then(({ body: made }) => {
    for (const [name, [key]] of Object.entries(made.access_keys as Record<string, [string]>))
      if (!name.includes('LNURL')) secrets.learn(`session's wallet: ${name}`, key, (response) => response.body?.id === made.id);
  });
  await send('POST', '/v1/session/password', { current_password: wrong, new_password: password }, { cookie });
  for (const path of ['/v1/session', '/v1/sessions', '/v1/wallets']) await send('GET', path, undefined, { cookie });
  const { body: begun } = await send('POST', '/v1/session/lnurl-auth', undefined);
  const k1 = new URL(begun.url).searchParams.get('k1') ?? '';
  for (const [name, secret] of Object.entries({ token: begun.token, k1 }))
    secrets.learn(`${name} of a wallet login`, secret, (response) => response.body?.id === begun.id);
  await send('POST', `/v1/session/lnurl-auth/${begun.id}`, { token: begun.token });
  await send('POST', `/v1/session/lnurl-auth/${begun.id}`, { token: `${begun.token}x` });
  const wallet = new LinkingKey();
  await recorder.request('GET', `/v1/lnurl-auth/callback?tag=login&k1=${k1}&sig=${wallet.sign(k1)}&key=${wallet.hex}`);
  await send('POST', `/v1/session/lnurl-auth/${begun.id}`, { token: begun.token });
  await send('DELETE', '/v1/session', undefined, { cookie });
  await send('GET', '/v1/session', undefined, { cookie });
}

/** Creates a webhook, replays the request, and rotates its secret. */
async function makeWebhook(request: RequestFunction, secrets: Secrets): Promise<void> {
  const named = { 'idempotency-key': 'a webhook' };
  const json = { url: 'https://hook.invalid/' };
  const { body } = await request('POST', '/v1/webhooks', json, named);
  secrets.learn('the secret of a webhook', body.secret, (response) => response.body?.secret === body.secret);
  await request('POST', '/v1/webhooks', json, named);
  const rotated = (await request('POST', `/v1/webhooks/${body.id}/rotate-secret`, { overlap_seconds: 60 })).body;
  secrets.learn('a rotated secret of a webhook', rotated.secret, (response) => response.body?.secret === rotated.secret);
  await request('POST', `/v1/webhooks/${body.id}/test`);
  for (const path of ['', `/${body.id}`, `/${body.id}/deliveries`]) await request('GET', `/v1/webhooks${path}`);
}

/** The URLs of LNURL contain the tokens of a link. The response to a request with a token contains the callback with it. */
async function useLinks(
  request: RequestFunction,
  recorder: Recorder,
  secrets: Secrets,
  { secretKey, base, outside }: { secretKey: string; base: string; outside: (num_satoshis: number) => Promise<string> },
): Promise<Pick<Made, 'ott' | 'balanceToken'>> {
  const tokens = { ott: '', balanceToken: '' };
  for (const [method, query, json] of [
    ['GET', '?num_satoshis=50&uses=3', undefined],
    ['POST', '', { num_satoshis: 50, uses: 3 }],
  ] as const) {
    const { body } = await request(method, `${base}/lnurl/withdraw${query}`, json);
    const path = body.url.slice(new URL(body.url).origin.length);
    const presented = (response: RecordedResponse) =>
      response.request.includes(`/lnurl-process?ott=${body.ott}`) || response.body?.id === body.id;
    secrets.learn(`ott (${method})`, body.ott, presented);
    secrets.learn(`LNURL (${method})`, body.lnurl, presented);
    await request('POST', '/v1/lnurlw/probe', { lnurl: body.lnurl });
    // A mistake, because the link is in the URL.
    await recorder.request('GET', `/v1/lnurlp/probe/${body.lnurl}`, { key: secretKey });
    const terms = (await recorder.request('GET', path)).body;
    const balanceToken = new URL(terms.balanceCheck).searchParams.get('ott') ?? '';
    const isCheck = (response: RecordedResponse) => response.request.includes(encodeURIComponent(balanceToken));
    secrets.learn(`balance token (${method})`, balanceToken, (response) => presented(response) || isCheck(response));
    secrets.learn(`k1 (${method})`, terms.k1, (response) => presented(response));
    await recorder.request('GET', `${path}&k1=${terms.k1}&pr=${await outside(20)}`);
    const checked = (await recorder.request('GET', terms.balanceCheck.slice(new URL(terms.balanceCheck).origin.length))).body;
    // A claim with the token of a balance check has the token as its `k1`.
    if (checked.k1 !== balanceToken) secrets.learn(`k1 of the balance check (${method})`, checked.k1, isCheck);
    Object.assign(tokens, { ott: body.ott, balanceToken });
  }
  return tokens;
}
