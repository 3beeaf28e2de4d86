import { type Static, Type } from 'typebox';
import { type NodeConnection, statusOf } from '../../core/connection/connection.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { SqlReader } from '../../core/db/database.ts';
import { areHoldsStopped } from '../../core/invoices/hold-switch.ts';
import { floorSat, satToMsat } from '../../core/kernel/money.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { NotUnderstood, queryRoutes } from '../../core/lightning/responses.ts';
import type { Route } from '../../core/lightning/route.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { App } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { NumSatoshis, PaymentRequest, Pubkey, publicKey } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';
import { DecodedInvoice, decodedInvoice } from './decoded-invoice.ts';

const NodeObject = namedObject('Node', {
  id: Type.String({ description: 'The id of the node, `lnd_…`' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  alias: nullable(Type.String({ description: 'The name of the node; null while the node does not respond' })),
  network: Type.String({ description: '`bitcoin`, `testnet`, `signet` or `regtest`' }),
  default_pubkey: Type.String({ description: 'The public key of the node: 33 bytes in hex' }),
  software: nullable(Type.String({ description: 'The program and version of the node; null before it was reached' })),
  status: Type.Enum(['ready', 'cannot_send', 'unavailable'], {
    description:
      '`cannot_send`: the node answers and cannot send payments now. `unavailable`: it does not answer, or its credential lacks a permission.',
  }),
  draining: Type.Boolean({
    description: 'Whether the operator is draining the node: it gets no new wallets, and its wallets work as before',
  }),
  status_reason: nullable(
    Type.String({ description: 'Why the node cannot send payments, or which permissions are missing; null otherwise' }),
  ),
  capabilities: nullable(
    Type.Object(
      {
        sends_keysend: Type.Boolean({ description: 'Whether keysend payments can be sent' }),
        receives_keysend: Type.Boolean({ description: 'Whether keysend payments can be received' }),
        description_hash_without_text: Type.Boolean({
          description: 'Whether an invoice can have the hash of a description that the node does not know',
        }),
        hold_invoices: Type.Boolean({
          description: 'Whether invoices can have a `hold_hash` now. False while the operator has stopped hold invoices',
        }),
        queries_routes: Type.Boolean({ description: 'Whether routes can be queried' }),
      },
      { description: 'What the node supports; null before it was reached' },
    ),
  ),
  uri: nullable(Type.String({ description: 'Always null: the service does not know the address of the node' })),
});

const HopObject = Type.Object({
  chanId: Type.String({ description: 'The short channel id, as a decimal number' }),
  chanCapacity: Type.String({ description: 'The capacity of the channel in satoshis; `0` when it is unknown' }),
  amtToForward: Type.String({ description: 'The amount to forward, in satoshis' }),
  amtToForwardMsat: Type.String({ description: 'The amount to forward, in millisatoshis' }),
  feeMsat: Type.String({ description: 'The fee of this hop, in millisatoshis' }),
  expiry: Type.Integer({ description: 'The block height at which the hop expires' }),
  pubKey: Type.String({ description: 'The public key of the node at the end of the channel, in hex' }),
  tlvPayload: Type.Boolean({ description: 'Whether the hop reads TLV payloads. Always true' }),
});

const Routes = namedObject('Routes', {
  routes: Type.Array(
    Type.Object({
      totalTimeLock: Type.Integer({ description: 'The block height at which the payment expires' }),
      totalAmt: Type.String({ description: 'The amount with fees, in satoshis' }),
      totalAmtMsat: Type.String({ description: 'The amount with fees, in millisatoshis' }),
      totalFeesMsat: Type.String({ description: 'The fees, in millisatoshis' }),
      hops: Type.Array(HopObject, { description: 'The channels of the route, in order' }),
    }),
    { description: 'The route that was found' },
  ),
  successProb: nullable(Type.Number({ description: 'Always null: the service does not estimate it' })),
});

const NodeParams = Type.Object({
  id: Type.String({ description: 'The id of the node (`lnd_…`), or `default`' }),
});

const listSchema = {
  operationId: 'listNodes',
  tags: ['Node'],
  summary: 'List the nodes of the service',
  ...requires('account'),
  response: { 200: Type.Array(NodeObject) },
};

const NODE = { tags: ['Node'], ...requires('any_key'), params: NodeParams };

const getSchema = {
  ...NODE,
  operationId: 'getNode',
  summary: 'Read the node',
  description: '`default` is the first node of the service.',
  response: { 200: NodeObject },
};

const decodeSchema = {
  ...NODE,
  operationId: 'decodeInvoice',
  summary: 'Decode an invoice',
  description: 'Returns the content of a BOLT11 invoice, as the node API of LND does: numbers are texts.',
  querystring: Type.Object({ payment_request: PaymentRequest }),
  response: { 200: DecodedInvoice },
};

const routesSchema = {
  ...NODE,
  operationId: 'queryRoutes',
  summary: 'Find a route',
  description: 'Returns a route to a node for an amount, and its fees. Nothing is sent. 400 `no_route` when there is none.',
  querystring: Type.Object({ pub_key: Pubkey, amt: NumSatoshis }),
  response: { 200: Routes },
};

interface NodeRouteModules {
  readonly access: Access;
  readonly connections: NodeConnections;
  readonly database: SqlReader;
  readonly payments: Payments;
}

/** Reads about the nodes behind the service, for any key. */
export function nodeRoutes(app: App, deps: NodeRouteModules): void {
  const { access, connections } = deps;
  app.get('/v1/nodes', { schema: listSchema }, async (request) => {
    await access.account(request);
    const state = await readState(deps);
    // The nodes that were ever reached, and the first one in any case.
    const reached = connections.all.filter((one, index) => index === 0 || one.wasReached());
    return Promise.all(reached.map((one) => describe(one, state)));
  });

  app.get('/v1/node/:id', { schema: getSchema }, async (request) => {
    await access.anyKey(request);
    return describe(findNode(connections, request.params.id), await readState(deps));
  });
  paymentRoutes(app, deps);
}

function paymentRoutes(app: App, { access, connections, payments }: NodeRouteModules): void {
  app.get('/v1/node/:id/payments/decodeinvoice', { schema: decodeSchema }, async (request) => {
    await access.anyKey(request);
    findNode(connections, request.params.id);
    return decodedInvoice(payments.readInvoice(request.query.payment_request));
  });

  app.get('/v1/node/:id/payments/queryroutes', { schema: routesSchema }, async (request) => {
    await access.anyKey(request);
    const connection = findNode(connections, request.params.id);
    const destination = publicKey('pub_key', request.query.pub_key);
    const query = { destination, amountMsat: satToMsat(request.query.amt) };
    const routes = await connection.call((node) => queryRoutes(node, query)).catch(routesUnknown);
    if (!routes) throw new Refusal('not_supported');
    if (routes.length === 0) throw new Refusal('no_route');
    return { routes: routes.map(routeObject), successProb: null };
  });
}

function routesUnknown(error: unknown): never {
  throw error instanceof NotUnderstood ? new Refusal('node_unavailable', `The routes are unknown: ${error.message}.`) : error;
}

/** `default` is the first node. @throws Refusal `not_found` */
function findNode({ all }: NodeConnections, id: string): NodeConnection {
  return requireFound(all.find(({ nodeId }, index) => nodeId === id || (id === 'default' && index === 0)));
}

/** What operators have decided about nodes. */
async function readState({ connections, database }: NodeRouteModules) {
  return { draining: await connections.draining(), holdsAreStopped: await areHoldsStopped(database) };
}

/** Works also while the node is unavailable. */
async function describe(
  connection: NodeConnection,
  { draining, holdsAreStopped }: Awaited<ReturnType<typeof readState>>,
): Promise<Static<typeof NodeObject>> {
  const { network, pubkey } = connection.identity();
  const info = await connection.readInfo().catch(() => undefined);
  const known = info ?? connection.info();
  return {
    id: connection.nodeId,
    created_at: connection.createdAt,
    alias: info?.alias ?? null,
    network,
    default_pubkey: pubkey,
    software: known?.software ?? null,
    ...(info ? statusOf(info) : { status: 'unavailable', status_reason: null }),
    draining: draining.has(connection.nodeId),
    capabilities: known
      ? {
          sends_keysend: known.capabilities.sendsKeysend,
          receives_keysend: known.capabilities.receivesKeysend,
          description_hash_without_text: known.capabilities.descriptionHashWithoutText,
          hold_invoices: known.capabilities.holdInvoices && !holdsAreStopped,
          queries_routes: connection.supports('queryRoutes'),
        }
      : null,
    uri: null,
  };
}

function routeObject(route: Route): Static<typeof Routes>['routes'][number] {
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
