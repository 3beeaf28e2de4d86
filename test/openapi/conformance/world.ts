import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import type { JsonSchema } from '../../../src/http/openapi/openapi-types.ts';
import { LinkingKey } from '../../lnurl/linking-key.ts';
import type { FakeNodeApp } from '../../support/app.ts';
import { codeOf, loginTo, newLogin } from '../../support/browser.ts';
import type { Client, Json, TestWallet } from '../../support/client.ts';
import type { Field, Values, Walked } from './operations.ts';
import { send } from './send.ts';

/** The example of NIP-19. */
const NOSTR_KEY = '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e';
/** The browser's key in RFC 8291. */
const PUSH_POINT = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4';
const SAT = 100;
/** Receives nothing: the name does not exist. */
const HOOK_URL = 'https://hook.invalid/';

/** A service with some objects, and values that its operations accept, by the names of their fields. */
export interface World {
  readonly client: Client;
  readonly wallet: TestWallet;
  /** Returns values of a valid request: only the required ones, or all that may be combined. */
  goodValues(walked: Walked, how: 'least' | 'most'): Promise<Values>;
}

/**
 * Operations that this service cannot execute: its host is an address, and passkeys need a domain. test/accounts/passkeys.thorough.test.ts and
 * test/accounts/setups.test.ts do, and also log in with a recovery code.
 */
export const UNAVAILABLE: ReadonlySet<string> = new Set([
  'beginPasskey',
  'addPasskey',
  'renamePasskey',
  'removePasskey',
  'beginPasskeyLogin',
  'logInWithPasskey',
  'beginSetupPasskey',
  'setUpPasskey',
  'logInWithRecoveryCode',
]);

type Source = () => unknown;

/** Valid values of fields. A field whose example in the schema is valid needs no entry. `operationId.field` takes precedence. */
export async function createWorld(service: FakeNodeApp, walk: readonly Walked[]): Promise<World> {
  const { client, net } = service;
  const wallet = await client.wallet(10_000_000);
  const other = await client.wallet(1_000);
  const movable = await client.wallet();
  const { nodes } = await client.get('/playground');
  const { ln_node_id } = await client.get(`/v1/wallet/${wallet.id}`);
  const proof = () => client.get(`/v1/wallet/${wallet.id}/proof`);
  await vi.waitFor(proof, { timeout: 150_000, interval: 50 });
  const outsideInvoice = async (more = {}) => (await client.post('/playground/invoice', { num_satoshis: SAT, ...more })).payment_request;
  const ownInvoice = async () => (await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: SAT })).payment_request;
  const withdrawLink = (): Promise<Json> => client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: SAT });
  const { id: withdrawLinkId } = await withdrawLink();
  const payLink = (id = wallet.id, fields = {}): Promise<Json> => client.post(`/v1/wallet/${id}/lnurlp`, fields);
  const { id: payLinkId } = await payLink();
  const othersLink = async () => (await payLink(other.id)).lnurl_encoded;
  let names = 0;
  const newName = () => `world${++names}`;
  const newEmail = () => `${newName()}@example.com`;
  const newContact = async () => (await client.post('/v1/contacts', { name: newName(), ln_address: newEmail() })).id;
  const newPushSubscription = async () => {
    const [p256dh, auth] = [PUSH_POINT, 'BTBZMqHH6r4Tts7J_aSIgg'];
    return (await client.post('/v1/push-subscriptions', { endpoint: `https://push.invalid/${newName()}`, p256dh, auth })).id;
  };
  const verifyToken = async () => {
    const invoice = await client.get(`/v1/wallet/${wallet.lnurlPay}/lnurlp/${payLinkId}?amount=1000`);
    return invoice.verify.split('/').at(-1);
  };
  const signed = await signedChallenge(client);
  const webhook = await client.post('/v1/webhooks', { url: HOOK_URL, event_types: ['alert_resolved'] });
  const delivery = await client.post(`/v1/webhooks/${webhook.id}/test`);
  const queryPassThru = () => Buffer.from('{"a":1}').toString('base64');
  const newest = async () => (await client.get(`/v1/wallet/${wallet.id}/transactions?per-page=1`))[0].id;
  const newestEvent = async () => (await client.get(`/v1/wallet/${wallet.id}/events`)).at(-1).id;

  const newConnection = async (): Promise<string> => (await client.post(`/v1/wallet/${wallet.id}/connections`, { user_label: 'app' })).id;

  const connectionId = await newConnection();

  let hasDrained = false;
  const isDraining = async () => (await client.get(`/v1/node/${ln_node_id}`)).draining;
  const activate = () => client.post(`/v1/operator/nodes/${ln_node_id}/activate`, { reason: 'a test' });
  const setupToken = ({ setup_url }: Json) => new URL(setup_url).hash.slice(1);
  const login = await newLogin(client);
  const { id: ownId } = await client.get('/v1/account');
  /** Returns an id of another kind with the time of an existing one: a list continues after any such id. */
  const cursorOf = (prefix: string) => () => `${prefix}_${ownId.slice('acc_'.length)}`;
  let own = await loginTo(client, ownId);
  /** Sets another password, which removes the authenticator app. */
  const newPassword = async () => {
    own = await loginTo(client, ownId);
    return own.password;
  };
  let holdPreimage = '';
  let [walletToken, recoveryCode] = ['', ''];
  /** Confirms an authenticator app, and returns the password. */
  const withApp = async () => {
    const { recovery_codes } = await client.post('/v1/session/totp/confirm', { code: await firstCode() });
    recoveryCode = recovery_codes[0];
    return own.password;
  };
  const firstCode = async () => {
    const { secret } = await client.post('/v1/session/totp', { current_password: await newPassword() });
    return codeOf(secret);
  };

  const sources: Readonly<Record<string, Source>> = {
    'Idempotency-Key': () => randomUUID(),
    p256dh: () => PUSH_POINT,
    auth: () => 'BTBZMqHH6r4Tts7J_aSIgg',
    language: () => 'de',
    key: () => wallet.id,
    wallet_id: () => wallet.id,
    dest_wallet_id: () => other.id,
    dest_pubkey: () => nodes.find(({ name }: Json) => name === 'alice').pubkey,
    ln_node_id: () => ln_node_id,
    payment_request: () => outsideInvoice(),
    'playgroundPay.payment_request': ownInvoice,
    num_satoshis: () => SAT,
    'createPayout.lines': () => [{ destination: other.id, num_satoshis: SAT, memo: 'wages' }],
    'listPayouts.after': newPayout,
    'getPayout.id': newPayout,
    'getPayout.after': () => 0,
    'getPayoutReport.id': newPayout,
    'cancelPayout.id': newPayout,
    'bulkTransfer.lines': () => [{ dest_wallet_id: other.id, num_satoshis: SAT, memo: 'wages' }],
    custom_records: () => ({ '7629169': 'hello' }),
    'getLightningTransaction.id': madeInvoice,
    'getInvoiceQr.id': madeInvoice,
    'cancelInvoice.id': madeInvoice,
    'cancelHoldInvoice.id': madeInvoice,
    'settleHoldInvoice.id': heldInvoice,
    'settleHoldInvoice.preimage': () => holdPreimage,
    hold_hash: () => paymentHashOf(randomBytes(32).toString('hex')),
    'signAuthChallenge.k1': () => signed.k1,
    sig: () => signed.sig,
    'signAuthChallenge.key': () => signed.key,
    'getAuthChallenge.id': async () => (await client.post('/v1/lnurl-auth', {})).id,
    'getWalletSummary.from': () => 1_699_999_200,
    'getWalletSummary.until': () => 1_700_002_800,
    'getAccountSummary.from': () => 1_699_999_200,
    'getAccountSummary.until': () => 1_700_002_800,
    'getTransaction.id': newest,
    q: () => 'alma',
    'getReconciliation.id': async () => (await client.get('/v1/operator/reconciliations'))[0].id,
    'getOperatorAction.id': async () => (await activate()).id,
    'creditSuspense.id': unmatchedMoney,
    'returnSuspense.id': unmatchedMoney,
    'getOperatorPayment.id': stuckPayment,
    'recheckPayment.id': stuckPayment,
    'resolvePayment.id': stuckPayment,
    'listNodeChannels.id': () => ln_node_id,
    'listUnknownHolds.id': () => ln_node_id,
    'listUnknownHolds.after': unknownHold,
    'settleUnknownHold.id': () => ln_node_id,
    'settleUnknownHold.hash': unknownHold,
    'settleUnknownHold.preimage': () => holdPreimage,
    'cancelUnknownHold.id': () => ln_node_id,
    'cancelUnknownHold.hash': unknownHold,
    'drainNode.id': () => {
      hasDrained = true;
      return ln_node_id;
    },
    'activateNode.id': () => ln_node_id,
    'moveWallet.id': walletOfAnotherNode,
    'closeAlert.id': openAlert,
    'getNode.id': () => 'default',
    'decodeInvoice.id': () => 'default',
    'queryRoutes.id': () => 'default',
    pub_key: () => nodes.find(({ name }: Json) => name === 'alice').pubkey,
    amt: () => SAT,
    hash: heldHash,
    epoch: async () => (await proof()).epoch,
    after: newest,
    'listEvents.after': newestEvent,
    'listWalletEvents.after': newestEvent,
    'replayWebhook.after': newestEvent,
    url: () => HOOK_URL,
    'createWebhook.wallet_id': () => wallet.id,
    'getWebhook.id': () => webhook.id,
    'updateWebhook.id': () => webhook.id,
    'updateWebhook.status': () => 'active',
    'deleteWebhook.id': spareWebhook,
    'testWebhook.id': () => webhook.id,
    'rotateWebhookSecret.id': () => webhook.id,
    'replayWebhook.id': () => webhook.id,
    'listDeliveries.id': () => webhook.id,
    'listWebhooks.after': () => webhook.id,
    'listDeliveries.after': () => delivery.id,
    'listDeliveriesOfAccount.after': () => delivery.id,
    'listDeliveriesOfLightningTransaction.id': invoiceOfDelivery,
    'listDeliveriesOfLightningTransaction.after': () => delivery.id,
    'getDelivery.id': () => webhook.id,
    delivery: () => delivery.id,
    'redeliver.id': () => webhook.id,
    'listWallets.id': () => wallet.id,
    'listWallets.after': () => wallet.id,
    'listAccounts.after': () => ownId,
    'listSubAccounts.after': () => ownId,
    'listContacts.after': cursorOf('cont'),
    'addContact.ln_address': newEmail,
    'updateContact.ln_address': newEmail,
    'updateContact.id': newContact,
    'deleteContact.id': newContact,
    endpoint: () => `https://push.invalid/${newName()}`,
    'deletePushSubscription.id': newPushSubscription,
    'addAccountNote.id': () => ownId,
    'getSummaryOfAccount.from': () => 1_699_999_200,
    'getSummaryOfAccount.until': () => 1_700_002_800,
    'listAccountWallets.after': () => wallet.id,
    'listAccountSessions.after': cursorOf('ses'),
    'listAccountKeys.after': cursorOf('key'),
    'listAccountNotes.after': cursorOf('note'),
    'deleteAccountNote.id': () => ownId,
    'createAccount.parent_id': () => ownId,
    revenue_wallet_id: () => wallet.id,
    'changeAccount.id': async () => (await client.post('/v1/accounts', { parent_id: ownId })).id,
    'listAccountChanges.after': cursorOf('acch'),
    'listImportedTransactions.after': cursorOf('itx'),
    'listOperatorActions.after': cursorOf('opa'),
    'listOperatorActions.account_id': () => ownId,
    'listOperatorActions.actor_id': () => ownId,
    'listPendingPayments.after': cursorOf('lntx'),
    'listAlerts.after': cursorOf('alert'),
    'listReconciliations.after': cursorOf('rec'),
    'listSessions.after': cursorOf('ses'),
    'getWalletFees.id': () => wallet.id,
    'getWalletLimits.id': () => wallet.id,
    'setWalletLimits.id': spareWallet,
    'setWalletFees.id': spareWallet,
    'removeWalletFees.id': () => wallet.id,
    'listWalletFeeVersions.id': () => wallet.id,
    'listWalletFeeVersions.after': cursorOf('fee'),
    'listAccountFeeVersions.after': cursorOf('fee'),
    'listSuspense.after': unmatchedMoney,
    'listEpochs.after': async () => (await proof()).epoch,
    'listNodeChannels.after': async () => (await client.get(`/v1/operator/nodes/${ln_node_id}/channels`)).channels[0].id,
    'listKeys.after': async () => (await client.get('/v1/keys'))[0].id,
    'listWalletKeys.after': async () => (await client.get(`/v1/wallet/${wallet.id}/keys`))[0].id,
    'createKey.kind': () => 'secret_api',
    'createWalletKey.kind': () => 'wallet_admin',
    budget_msat: () => 100_000,
    budget_period: () => 'day',
    'listPlaygroundPayments.after': () => 0,
    'getPayLink.id': () => payLinkId,
    'changePayLink.id': () => payLinkId,
    'updatePayLink.id': () => payLinkId,
    'deletePayLink.id': async () => (await payLink()).id,
    'payLink.id': async () => (await payLink()).id,
    'payLink.key': () => wallet.lnurlPay,
    'getPayLinkQr.id': async () => (await payLink()).id,
    'getPayLinkQr.key': () => wallet.lnurlPay,
    'payAddress.name': async () => (await payLink(wallet.id, { lnurlp_identifier: newName() })).lnurlp_identifier,
    'getNostrIdentifier.name': async () =>
      (await payLink(wallet.id, { lnurlp_identifier: newName(), nostr_pubkey: NOSTR_KEY })).lnurlp_identifier,
    'verifyPayment.token': verifyToken,
    'getInvoiceStatus.token': async () =>
      (await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: SAT })).status_url.split('/').at(-1),
    'listPayLinks.after': () => payLinkId,
    'listWalletPayLinks.after': () => payLinkId,
    amount: () => 2000,
    'changeOwnAccount.currency': () => 'EUR',
    'probePayLink.lnurl': othersLink,
    'probeWithdrawLink.lnurl': async () => (await withdrawLink()).lnurl,
    'playgroundPayLink.destination': othersLink,
    'playgroundClaim.lnurl': async () => (await withdrawLink()).lnurl,
    'payLnurl.lnurlpay_encoded': othersLink,
    comment: () => 'hello',
    'pullLnurl.lnurl': async () => (await client.post(`/v1/wallet/${other.id}/lnurl/withdraw`, { num_satoshis: SAT })).lnurl,
    lnurlp_identifier: newName,
    email: newEmail,
    'logIn.email': () => login.email,
    'logIn.password': () => login.password,
    'changePassword.current_password': () => own.password,
    'changePassword.new_password': () => own.password,
    'beginTotp.current_password': newPassword,
    'createRecoveryCodes.current_password': newPassword,
    'confirmTotp.code': firstCode,
    'renewRecoveryCodes.current_password': withApp,
    'renewRecoveryCodes.code': () => recoveryCode,
    'removeTotp.current_password': newPassword,
    'removeTotp.code': () => '000000',
    'logIn.code': () => '000000',
    'completeWalletLogin.id': beginWalletLogin,
    'completeWalletLogin.token': () => walletToken,
    'completeWalletLogin.code': () => '000000',
    'beginWalletLink.current_password': () => own.password,
    'completeWalletLink.id': async () => (await beginWalletLink()).id,
    'removeLinkedKey.id': linkedKey,
    'setUpLogin.token': async () => setupToken(await client.post('/v1/accounts', { invite: true, email: newEmail() })),
    'setUpLogin.password': () => 'a long password',
    'revokeSession.id': async () => (await client.get('/v1/sessions'))[0].id,
    nostr_pubkey: () => NOSTR_KEY,
    client_pubkey: () => NOSTR_KEY,
    'createConnection.permissions': () => 'wallet_read',
    'listConnections.after': () => connectionId,
    'listConnectionsOfAccount.after': () => connectionId,
    'getConnectionOfAccount.id': () => connectionId,
    'listKeys.of': () => 'wallets',
    'getKey.id': async () => (await client.get('/v1/keys'))[0].id,
    'listWithdrawLinksOfAccount.after': () => withdrawLinkId,
    lnurlp_domain: () => new URL(client.url).host,
    lnurlp_image: () => Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64'),
    ott: async () => (await withdrawLink()).ott,
    'listWithdrawLinks.after': () => withdrawLinkId,
    'getWithdrawLink.id': () => withdrawLinkId,
    'revokeWithdrawLink.id': () => withdrawLinkId,
    pr: () => outsideInvoice(),
    'makeWithdrawLink.passThru': queryPassThru,
    'makePermanentWithdrawLink.passThru': queryPassThru,
    description_hash: () => 'ab'.repeat(32),
    fee_limit_msat: () => 50_000,
    fields: () => 'id',
    label: () => 'Playground',
    // Money from suspense may have no lightning transaction.
    payment_hash: async () =>
      (await client.get(`/v1/wallet/${wallet.id}/transactions?type=ln_deposit`)).find(({ lnTx }: Json) => lnTx).lnTx.r_hash_decoded,
    pass_through: () => ({ order: '17' }),
  };

  async function beginWalletLogin(): Promise<string> {
    const begun = await client.post('/v1/session/lnurl-auth');
    walletToken = begun.token;
    return begun.id;
  }

  function beginWalletLink(): Promise<Json> {
    return client.post('/v1/session/linked-keys', { current_password: own.password });
  }

  async function linkedKey(): Promise<string> {
    const { id, url } = await beginWalletLink();
    await new LinkingKey().call(client.url, url);
    return (await client.post(`/v1/session/linked-keys/${id}`)).id;
  }

  async function newPayout(): Promise<string> {
    return (await client.post(`/v1/wallet/${wallet.id}/payouts`, { lines: [{ destination: other.id, num_satoshis: SAT }] })).id;
  }

  /** A wallet whose limits and fees disturb no other operation. */
  async function spareWallet(): Promise<string> {
    return (await client.post('/v1/wallet', {})).id;
  }

  async function madeInvoice(): Promise<string> {
    return (await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: SAT })).id;
  }

  /** A hold invoice whose payment waits. Sets its preimage. */
  async function heldInvoice(): Promise<string> {
    holdPreimage = randomBytes(32).toString('hex');
    const hold = { num_satoshis: SAT, hold_hash: paymentHashOf(holdPreimage) };
    const { id, payment_request: paymentRequest } = await client.post(`/v1/wallet/${wallet.id}/invoice`, hold);
    await net.outside.pay({ paymentRequest });
    await vi.waitFor(async () => expect((await client.get(`/v1/lntx/${id}`)).status).toBe('held'), { timeout: 150_000, interval: 10 });
    return id;
  }

  /** A payment that the node holds for another program. */
  async function unknownHold(): Promise<string> {
    holdPreimage = randomBytes(32).toString('hex');
    const paymentHash = paymentHashOf(holdPreimage);
    const order = { paymentHash, amountMsat: msat(1000 * SAT), description: '', expirySeconds: 3600 };
    await net.outside.pay(await net.connect().createHoldInvoice(order));
    return paymentHash;
  }

  /** An invoice whose event has the delivery. */
  async function invoiceOfDelivery(): Promise<string> {
    const id = await madeInvoice();
    await service.execute('UPDATE webhook_delivery SET lntx = $1 WHERE webhook_id = $2', id, webhook.id);
    return id;
  }

  /** A webhook that may be deleted. Their number is limited, so earlier ones are deleted. */
  async function spareWebhook(): Promise<string> {
    const others: Json[] = (await client.get('/v1/webhooks')).filter(({ id }: Json) => id !== webhook.id);
    const remove = (id: string) => client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    for (const { id } of others) await remove(id);
    return (await client.post('/v1/webhooks', { url: HOOK_URL })).id;
  }

  /** Money that arrives for no wallet. */
  async function unmatchedMoney(): Promise<string> {
    const preimage = randomBytes(32);
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    const amountMsat = msat(1_000_000);
    net.tell({
      type: 'settlement',
      paymentHash,
      preimage: preimage.toString('hex'),
      amountMsat,
      settledAt: 1,
      keysend: false,
      customRecords: {},
    });
    net.addFunds(amountMsat);
    const isBooked = async () => (await client.get('/v1/operator/suspense?per-page=100')).some(({ id }: Json) => id === paymentHash);
    await vi.waitUntil(isBooked, { timeout: 150_000, interval: 10 });
    return paymentHash;
  }

  /** A payment that the node reports as pending although its records prove that it failed. */
  async function stuckPayment(): Promise<string> {
    const { paymentRequest } = net.outside.invoice({ amountMsat: SAT * 1000, script: { stuck: true, fee: 0 } });
    const options = { key: client.secretKey, json: { payment_request: paymentRequest }, headers: { prefer: 'respond-async' } };
    const { body } = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, options);
    await vi.waitUntil(() => net.state().outgoing[body.lnTx.id]?.outcome.state === 'pending', { timeout: 150_000, interval: 10 });
    return body.lnTx.id;
  }

  /** A wallet on a node that is not connected. */
  async function walletOfAnotherNode(): Promise<string> {
    const add = (table: string, row: string) => service.execute(`INSERT INTO ${table} VALUES ${row} ON CONFLICT DO NOTHING`);
    await add('ledger_account (id, kind)', `(-99, 'node')`);
    await add('lightning_node (id, ledger_account, state, created_at)', `('lnd_another', -99, 'active', 1)`);
    await service.execute(`UPDATE wallet SET node_id = 'lnd_another' WHERE id = $1`, movable.id);
    return movable.id;
  }

  async function openAlert(): Promise<string> {
    const id = `alert_${newName()}`;
    await service.execute(
      `INSERT INTO alert (id, kind, subject, message, raised_at, last_seen_at) VALUES ($1, 'payment_corrected', $1, 'a test', 1, 1)`,
      id,
    );
    return id;
  }

  /** The payment hash of a hold invoice with a pending payment. */
  async function heldHash(): Promise<string> {
    const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: SAT, hold: true });
    const headers = { prefer: 'respond-async' };
    await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: { payment_request }, headers });
    // The response may come before the payment has left.
    await vi.waitFor(async () => expect(await outsideHashes()).toContain(payment_hash), { timeout: 150_000, interval: 10 });
    return payment_hash;
  }

  async function outsideHashes(): Promise<string[]> {
    const { payments } = await client.get('/playground/payments');
    return payments.map((payment: Json) => payment.payment_hash);
  }

  async function workingValue(walked: Walked, field: Field): Promise<unknown> {
    const source = sources[`${walked.operation.operationId}.${field.name}`] ?? (isChoice(field.schema) ? undefined : sources[field.name]);
    if (source) return source();
    const parent = walked.path.slice(0, walked.path.indexOf(`/{${field.name}}`));
    const maker = field.in === 'path' && walk.find(({ method, path }) => method === 'POST' && path === parent);
    return (maker ? await idOfNew(maker) : field.example) ?? bySchema(field.schema);
  }

  /** Returns the id of an object that a POST to the path above `{id}` has created. */
  async function idOfNew(maker: Walked): Promise<unknown> {
    const made = await send(client, maker, await goodValues(maker, 'least'), { key: client.secretKey });
    return made.body?.id;
  }

  async function goodValues(walked: Walked, how: 'least' | 'most'): Promise<Values> {
    // The clock of the fake node stands still. New invoices of pay links, which expire after ten minutes, would have expired on a slow machine.
    service.time.advance(Math.max(0, Date.now() - service.time.nowMs()));
    // A request to drain the node may still wait when its response has arrived.
    while (hasDrained && (await isDraining())) await activate();
    const values: Record<Field['in'], Record<string, unknown>> = { path: {}, query: {}, header: {}, body: {} };
    for (const field of walked.fields) {
      const name = `${walked.operation.operationId}.${field.name}`;
      const isOneOfTwo = ONE_OF_TWO.has(field.name) || ONE_OF_TWO.has(name);
      const wanted = field.required || isOneOfTwo || (how === 'most' && !LEFT_OUT.has(field.name) && !LEFT_OUT.has(name));
      if (wanted) values[field.in][field.name] = await workingValue(walked, field);
    }
    return values;
  }

  return { client, wallet, goodValues };
}

/** Optional fields of which the request needs one: `ott` or `k1`, an LNURL or a Lightning address, an amount in one of two units, `after` or a time, a password or a session. */
const ONE_OF_TWO = new Set([
  'ott',
  'keysend.num_satoshis',
  'getQuote.num_satoshis',
  'transfer.num_satoshis',
  'payLnurl.num_satoshis',
  'pullLnurl.num_satoshis',
  'lnurlpay_encoded',
  'replayWebhook.after',
  'beginWalletLink.current_password',
  'createRecoveryCodes.current_password',
]);

/** Fields that exclude others, select a part of the response, or identify a request. */
const LEFT_OUT = new Set([
  'replayWebhook.from',
  'replayWebhook.to',
  'resolvePayment.preimage',
  'listTransactions.key_id',
  'page',
  'fields',
  'Idempotency-Key',
  'k1',
  'balanceNotify',
  'expires_at',
  'ln_address',
  'payer_data',
  'num_msat',
  'amt_msat',
  // Instead of an amount in satoshis, and only with a rate.
  'currency',
  'createInvoice.amount',
  'withdraw.amount',
  'transfer.amount',
  'payLnurl.amount',
  'keysend.amount',
  'pullLnurl.amount',
  'createWithdrawLink.amount',
  'makeWithdrawLink.amount',
  'createPermanentWithdrawLink.amount',
  'makePermanentWithdrawLink.amount',
  'createPayLink.amount',
  'changePayLink.amount',
  'updatePayLink.amount',
  'min_amount',
  'max_amount',
  // Only with ZAPS.
  'nostr',
]);

function isChoice(schema: JsonSchema): boolean {
  return schema.enum !== undefined;
}

function bySchema(schema: JsonSchema): unknown {
  const [type] = [schema.type ?? 'string'].flat();
  if (schema.enum) return schema.enum[0];
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
  return { boolean: true, object: {}, array: [], string: 'text' }[type ?? 'string'];
}

/** The parameters by which a wallet signs a challenge. It may send them again. */
async function signedChallenge(client: Client): Promise<{ k1: string; sig: string; key: string }> {
  const { url } = await client.post('/v1/lnurl-auth', {});
  const k1 = new URL(url).searchParams.get('k1') ?? '';
  const person = new LinkingKey();
  return { k1, sig: person.sign(k1), key: person.hex };
}
