import { Type } from 'typebox';
import type { NodeConnection } from '../../connection/connection.ts';
import { idTimeMs } from '../../kernel/ids.ts';
import { floorSat, satToMsat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { Bolt11 } from '../../lightning/bolt11/bolt11.ts';
import type { Route } from '../../lightning/node.ts';
import { isPublicKey } from '../../lightning/public-key.ts';
import type { Payments } from '../../payments/payments.ts';
import type { App } from '../app-type.ts';
import type { Access } from '../auth/access.ts';
import { NumSatoshis, Pubkey } from '../fields.ts';
import { nullable } from '../objects.ts';

const NodeObject = Type.Object({
  id: Type.String({ description: 'lnd_…' }),
  created_at: Type.Integer(),
  alias: nullable(Type.String({ description: 'null while the node does not answer' })),
  network: Type.String(),
  default_pubkey: Type.String(),
  uri: nullable(Type.String({ description: 'Not known to the service: null' })),
});

const HintObject = Type.Object({
  node_id: Type.String(),
  chan_id: Type.String(),
  fee_base_msat: Type.String(),
  fee_proportional_millionths: Type.String(),
  cltv_expiry_delta: Type.String(),
});

const FeatureObject = Type.Object({ name: Type.String(), is_required: Type.Boolean(), is_known: Type.Boolean() });

const DecodedInvoice = Type.Object({
  destination: Type.String(),
  payment_hash: Type.String(),
  num_satoshis: Type.String({ description: '0 when the invoice leaves the amount open' }),
  num_msat: Type.String(),
  timestamp: Type.String(),
  expiry: Type.String(),
  description: Type.String(),
  description_hash: Type.String({ description: 'Hex' }),
  cltv_expiry: Type.String(),
  payment_addr: Type.String({ description: 'Hex' }),
  route_hints: Type.Array(Type.Object({ hop_hints: Type.Array(HintObject) })),
  features: Type.Record(Type.String(), FeatureObject, { description: 'By bit' }),
});

const HopObject = Type.Object({
  chanId: Type.String(),
  chanCapacity: Type.String({ description: 'Satoshis; 0 when it is not known' }),
  amtToForward: Type.String(),
  amtToForwardMsat: Type.String(),
  feeMsat: Type.String(),
  expiry: Type.Integer({ description: 'Block height' }),
  pubKey: Type.String(),
  tlvPayload: Type.Boolean({ description: 'Whether the hop reads TLV payloads; every node does today' }),
});

const Routes = Type.Object({
  routes: Type.Array(
    Type.Object({
      totalTimeLock: Type.Integer({ description: 'Block height' }),
      totalAmt: Type.String(),
      totalAmtMsat: Type.String(),
      totalFeesMsat: Type.String(),
      hops: Type.Array(HopObject),
    }),
  ),
  successProb: nullable(Type.Number({ description: 'Not estimated: null' })),
});

const NodeParams = Type.Object({ id: Type.String({ description: 'lnd_… or default' }) });

interface NodeRouteDependencies {
  readonly access: Access;
  readonly connection: NodeConnection;
  readonly payments: Payments;
}

/** What the node behind the service is, and what it knows. Reads only; with any key. */
export function nodeRoutes(app: App, deps: NodeRouteDependencies): void {
  const { access, connection } = deps;
  app.get('/v1/nodes', { schema: { response: { 200: Type.Array(NodeObject) } } }, async (request) => {
    await access.account(request);
    return [await describe(connection)];
  });

  app.get('/v1/node/:id', { schema: { params: NodeParams, response: { 200: NodeObject } } }, async (request) => {
    await access.anyKey(request);
    requireOwnNode(connection, request.params.id);
    return describe(connection);
  });
  paymentRoutes(app, deps);
}

function paymentRoutes(app: App, { access, connection, payments }: NodeRouteDependencies): void {
  const params = NodeParams;
  const DecodeQuery = Type.Object({ payment_request: Type.String({ maxLength: 8000 }) });
  const decode = { params, querystring: DecodeQuery, response: { 200: DecodedInvoice } };
  app.get('/v1/node/:id/payments/decodeinvoice', { schema: decode }, async (request) => {
    await access.anyKey(request);
    requireOwnNode(connection, request.params.id);
    return decodedInvoice(payments.readInvoice(request.query.payment_request));
  });

  const query = { params, querystring: Type.Object({ pub_key: Pubkey, amt: NumSatoshis }), response: { 200: Routes } };
  app.get('/v1/node/:id/payments/queryroutes', { schema: query }, async (request) => {
    await access.anyKey(request);
    requireOwnNode(connection, request.params.id);
    const destination = request.query.pub_key.toLowerCase();
    if (!isPublicKey(destination))
      throw new Refusal(
        'validation_failed',
        '`pub_key` must be a public key: its x coordinate is not on the curve secp256k1. Check it for typing errors.',
      );
    if (!connection.node.queryRoutes) throw new Refusal('not_supported');
    const routes = await connection.node.queryRoutes({ destination, amountMsat: satToMsat(request.query.amt) });
    if (routes.length === 0) throw new Refusal('no_route');
    return { routes: routes.map(routeObject), successProb: null };
  });
}

function requireOwnNode(connection: NodeConnection, id: string): void {
  if (id !== 'default' && id !== connection.nodeId) throw new Refusal('not_found');
}

/** Also while the node is away, once it was met. */
async function describe(connection: NodeConnection) {
  const { network, pubkey } = connection.identity();
  const info = await connection.node.info().catch(() => undefined);
  const created_at = Math.floor(idTimeMs(connection.nodeId) / 1000);
  return { id: connection.nodeId, created_at, alias: info?.alias ?? null, network, default_pubkey: pubkey, uri: null };
}

function decodedInvoice(invoice: Bolt11) {
  const amountMsat = invoice.amountMsat ?? satToMsat(0);
  return {
    destination: invoice.payee,
    payment_hash: invoice.paymentHash,
    num_satoshis: String(floorSat(amountMsat)),
    num_msat: String(amountMsat),
    timestamp: String(invoice.timestamp),
    expiry: String(invoice.expirySeconds),
    description: invoice.description ?? '',
    description_hash: invoice.descriptionHash ?? '',
    cltv_expiry: String(invoice.minFinalCltvExpiry),
    payment_addr: invoice.paymentSecret,
    route_hints: invoice.routeHints.map((hops) => ({
      hop_hints: hops.map((hop) => ({
        node_id: hop.pubkey,
        chan_id: hop.shortChannelId,
        fee_base_msat: String(hop.feeBaseMsat),
        fee_proportional_millionths: String(hop.feeProportionalMillionths),
        cltv_expiry_delta: String(hop.cltvExpiryDelta),
      })),
    })),
    features: Object.fromEntries(
      invoice.features.map(({ bit, name, required }) => [bit, { name, is_required: required, is_known: name !== 'unknown' }]),
    ),
  };
}

function routeObject(route: Route) {
  return {
    totalTimeLock: route.timeLock,
    totalAmt: String(floorSat(route.totalMsat)),
    totalAmtMsat: String(route.totalMsat),
    totalFeesMsat: String(route.feesMsat),
    hops: route.hops.map((hop) => ({
      chanId: hop.shortChannelId,
      chanCapacity: String(hop.capacitySat ?? 0),
      amtToForward: String(floorSat(hop.forwardMsat)),
      amtToForwardMsat: String(hop.forwardMsat),
      feeMsat: String(hop.feeMsat),
      expiry: hop.expiryHeight,
      pubKey: hop.pubkey,
      tlvPayload: true,
    })),
  };
}
