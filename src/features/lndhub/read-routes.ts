import { floorSat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { LNDHUB_PATH } from '../keys/lndhub-link.ts';
import { accessKey, authorizeApp, keyRoute, type LndhubContext, ROUTE } from './context.ts';
import { fieldsOf, readText } from './fields.ts';
import { lndhubInvoice } from './payment-object.ts';

const MAX_INVOICE = 8000;

/** Reads about the wallet and its node. */
export function readRoutes(app: App, deps: LndhubContext): void {
  const { payments, ledger } = deps;
  const config = keyRoute(deps.lndhubTokens);

  app.get(`${LNDHUB_PATH}/balance`, { config }, async (request) => {
    const { wallet } = await authorizeApp(deps, request, 'wallet_read');
    const { spendableMsat } = await ledger.balance(wallet.ledgerAccount);
    return { BTC: { AvailableBalance: Math.max(0, floorSat(spendableMsat)) } };
  });

  for (const path of ['decodeinvoice', 'checkrouteinvoice']) {
    app.get(`${LNDHUB_PATH}/${path}`, { config }, async (request) => {
      await accessKey(deps, request);
      const text = readText(fieldsOf(request.query), 'invoice', MAX_INVOICE);
      if (text === undefined) throw new Refusal('validation_failed', '`invoice` is missing.');
      return lndhubInvoice(payments.readInvoice(text));
    });
  }

  // On-chain deposits, which this service does not have. BlueWallet shows an alert for an error, and BTCPay fails.
  for (const path of ['getpending', 'getbtc']) {
    app.get(`${LNDHUB_PATH}/${path}`, { config }, async (request) => {
      await accessKey(deps, request);
      return [];
    });
  }

  app.get(`${LNDHUB_PATH}/getinfo`, { config: { ...ROUTE, isPublic: true } }, async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=300');
    return nodeInfo(deps);
  });

  // BlueWallet reads it without a path to check the address of a server, and accepts this error.
  app.get('/getinfo', { config: { ...ROUTE, isPublic: true } }, async (request) => {
    if (deps.lndhub.isAtRoot && request.headers.authorization !== undefined) return nodeInfo(deps);
    throw new Refusal('unauthorized');
  });
}

/** Returns what LND's `getinfo` has, as far as it is known of the first node. 0 is unknown. */
async function nodeInfo({ connections }: LndhubContext) {
  const [connection] = connections.all;
  const info = connection && (await connection.readInfo());
  if (!info) throw new Refusal('node_unavailable');
  return {
    identity_pubkey: info.pubkey,
    alias: info.alias,
    color: '#000000',
    uris: [],
    version: info.software,
    block_height: 0,
    block_hash: '',
    synced_to_chain: info.cannotSend === undefined,
    synced_to_graph: info.cannotSend === undefined,
    testnet: info.network !== 'bitcoin',
    num_active_channels: info.channels?.active ?? 0,
    num_inactive_channels: info.channels?.inactive ?? 0,
    num_pending_channels: 0,
    num_peers: 0,
    chains: [{ chain: 'bitcoin', network: info.network }],
  };
}
