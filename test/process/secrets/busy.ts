import type { Json } from '../../support/client.ts';
import type { Heard, Hearing } from './hearing.ts';
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
export async function beBusy(hearing: Hearing, secrets: Secrets, secretKey: string): Promise<Made> {
  const ask = async (method: string, path: string, json?: object, headers: Record<string, string> = {}): Promise<Heard> => {
    const heard = await hearing.ask(method, path, { key: secretKey, ...(json && { json }), headers });
    if (heard.status >= 300) throw new Error(`${method} ${path} answered ${heard.status}: ${heard.text}`);
    return heard;
  };
  const { wallet, keys } = await makeWallet(ask, secrets);
  const other = (await ask('POST', '/v1/wallet', { user_label: 'other' })).body;
  for (const [name, [key]] of Object.entries(other.access_keys as Record<string, [string]>))
    if (!name.includes('LNURL'))
      secrets.learn(`other wallet: ${name}`, key, (heard) => heard.body?.id === other.id && heard.body.access_keys);

  const base = `/v1/wallet/${keys.admin}`;
  const invoice = async (num_satoshis: number) => (await ask('POST', `${base}/invoice`, { num_satoshis })).body;
  const outside = async (num_satoshis: number) => (await ask('POST', '/playground/invoice', { num_satoshis })).body.payment_request;
  const paidInvoice = await invoice(5000);
  await ask('POST', '/playground/pay', { payment_request: paidInvoice.payment_request });
  const openInvoice = await invoice(7);
  await ask('GET', `/v1/lntx/${paidInvoice.id}?access-token=${keys.read}`);
  await ask('POST', `${base}/withdraw`, { payment_request: await outside(100) }, { 'idempotency-key': 'withdraw' });
  await ask('POST', `${base}/transfer`, { dest_wallet_id: other.access_keys['Wallet Admin'][0], num_satoshis: 10 });
  const { nodes, unreachable_pubkey } = (await ask('GET', '/playground')).body;
  const { pubkey } = nodes.find(({ name }: Json) => name === 'alice');
  await ask('POST', `${base}/keysend`, { dest_pubkey: pubkey, num_satoshis: 1 });
  await hearing.ask('POST', `${base}/keysend`, { key: keys.admin, json: { dest_pubkey: unreachable_pubkey, num_satoshis: 1 } });
  for (const path of ['', '/transactions?per-page=1', '/statement']) await ask('GET', `${base}${path}`);
  await ask('GET', `/v1/wallets?per-page=1&access-token=${secretKey}`);
  const basic = { authorization: `Basic ${Buffer.from(`${keys.admin}:`).toString('base64')}` };
  await hearing.ask('GET', `/v1/user/wallet/${wallet}`, { headers: basic });
  await hearing.ask('GET', `/v1/wallet/${wallet}`, { headers: { authorization: `Bearer ${keys.read}` } });
  await makeKeys(ask, secrets, base);
  return { secretKey, wallet, keys, openInvoice, paidInvoice, ...(await useLinks(ask, hearing, secrets, { base, outside })) };
}

type Ask = (method: string, path: string, json?: object, headers?: Record<string, string>) => Promise<Heard>;

/** The keys of the wallet may also be in the replay of the response that created them. */
async function makeWallet(ask: Ask, secrets: Secrets): Promise<Pick<Made, 'wallet' | 'keys'>> {
  const named = { 'idempotency-key': 'the first wallet' };
  const { body } = await ask('POST', '/v1/wallet', { user_label: 'busy' }, named);
  const key = (name: string): string => {
    const text = body.access_keys[name][0];
    secrets.learn(name, text, (heard) => heard.request === 'POST /v1/wallet' && heard.body?.id === body.id);
    return text;
  };
  const keys = { admin: key('Wallet Admin'), invoice: key('Wallet Invoice'), read: key('Wallet Read') };
  const replayed = await ask('POST', '/v1/wallet', { user_label: 'busy' }, named);
  if (replayed.body.access_keys['Wallet Admin'][0] !== keys.admin) throw new Error('the replay is another answer');
  return { wallet: body.id, keys };
}

/** Creates, lists, rotates, replays and revokes keys of the account and of the wallet. Each key is shown once. */
async function makeKeys(ask: Ask, secrets: Secrets, base: string): Promise<void> {
  for (const [path, kind] of [['/v1/keys', 'secret_api'] as const, [`${base}/keys`, 'wallet_admin'] as const]) {
    const named = { 'idempotency-key': `a key of ${kind}` };
    const { body } = await ask('POST', path, { kind, label: 'till' }, named);
    secrets.learn(`a new ${kind} key`, body.key, (heard) => heard.body?.key === body.key);
    await ask('POST', path, { kind, label: 'till' }, named);
    const rotated = (await ask('POST', `${path}/${body.id}/rotate`, { overlap_seconds: 60 })).body;
    secrets.learn(`a rotated ${kind} key`, rotated.key, (heard) => heard.body?.key === rotated.key);
    await ask('GET', `${path}?per-page=1`);
    await ask('DELETE', `${path}/${rotated.id}`);
  }
  await ask('GET', '/v1/account');
}

/** The URLs of LNURL contain the tokens of a link. The response to a request with a token contains the callback with it. */
async function useLinks(
  ask: Ask,
  hearing: Hearing,
  secrets: Secrets,
  { base, outside }: { base: string; outside: (num_satoshis: number) => Promise<string> },
): Promise<Pick<Made, 'ott' | 'balanceToken'>> {
  const tokens = { ott: '', balanceToken: '' };
  for (const [method, query, json] of [
    ['GET', '?num_satoshis=50&uses=3', undefined],
    ['POST', '', { num_satoshis: 50, uses: 3 }],
  ] as const) {
    const { body } = await ask(method, `${base}/lnurl/withdraw${query}`, json);
    const path = body.url.slice(new URL(body.url).origin.length);
    const presented = (heard: Heard) => heard.request.includes(`/lnurl-process?ott=${body.ott}`) || heard.body?.id === body.id;
    secrets.learn(`ott (${method})`, body.ott, presented);
    const terms = (await hearing.ask('GET', path)).body;
    const balanceToken = new URL(terms.balanceCheck).searchParams.get('ott') ?? '';
    secrets.learn(
      `balance token (${method})`,
      balanceToken,
      (heard) => presented(heard) || heard.request.includes(encodeURIComponent(balanceToken)),
    );
    secrets.learn(`k1 (${method})`, terms.k1, (heard) => presented(heard));
    await hearing.ask('GET', `${path}&k1=${terms.k1}&pr=${await outside(20)}`);
    await hearing.ask('GET', terms.balanceCheck.slice(new URL(terms.balanceCheck).origin.length));
    Object.assign(tokens, { ott: body.ott, balanceToken });
  }
  return tokens;
}
