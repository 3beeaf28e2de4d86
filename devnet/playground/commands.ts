import { isPublicKey } from '../../src/core/kernel/secp256k1.ts';
import { requireId, requirePoint, requirePosition, requireRecordQuery, requireWhole } from '../checks.ts';
import { channelsOf, localBalance, playgroundChannels } from './balances.ts';
import { bytesOf, hexOf, sha256 } from './bindings.ts';
import type { Engine, Waits } from './engine.ts';
import type { LdkNode } from './ldk-node.ts';
import { routesTo } from './ldk-payments.ts';
import { type CommandName, MAX_WAIT_MS, type RequestOf, type ResponseOf } from './protocol.ts';
import type { ServiceNode } from './service-node.ts';

/** Returns the response after the commit. */
export type Finish<N extends CommandName> = () => ResponseOf<N> | Promise<ResponseOf<N>>;

/** Starts a command inside a batch. A handler must not have changed anything when it throws a PlaygroundRefusal. */
export type Handlers = { readonly [N in CommandName]: (request: RequestOf<N>) => Finish<N> };

/** How long an outside payment waits for the claim guard of a service before it is reported as pending. */
const OUTSIDE_WAIT_MS = 10_000;
const MAX_PAGE = 1_000;

/** Returns the handlers of the commands to a service node, and of those to the outside nodes. */
export function handlersOf(engine: Engine, service: ServiceNode): Handlers {
  return { ...serviceHandlers(engine, service), ...outsideHandlers(engine, service.ldk) };
}

type OutsideCommand = 'describe' | 'outsidePay' | 'outsideInvoice' | 'outsideKeysend' | 'outsidePayments' | 'resolveHold';

function serviceHandlers({ network, waits }: Engine, service: ServiceNode): Omit<Handlers, OutsideCommand> {
  const { ldk: node, incoming, outgoing, outbox } = service;
  const outcome = (paymentId: string) => () => outgoing.lookup(paymentId) ?? { state: 'pending' as const };
  return {
    createInvoice: (request) => done(incoming.createInvoice(request)),
    cancelInvoice: ({ paymentHash }) => done(incoming.cancelInvoice(paymentHash)),
    pay: (order) => {
      outgoing.pay(order);
      return outcome(order.paymentId);
    },
    keysend: (order) => {
      outgoing.keysend(order);
      return outcome(order.paymentId);
    },
    lookupPayment: ({ paymentId }) => {
      requireId('paymentId', paymentId);
      return () => outgoing.lookup(paymentId);
    },
    readSentPayments: (query) => {
      requireRecordQuery(query);
      return () => outgoing.readSent(query);
    },
    readSettlements: (query) => {
      requireRecordQuery(query);
      return () => outbox.readSettlements(query);
    },
    lookupInvoice: ({ paymentHash }) => done(incoming.lookupInvoice(paymentHash)),
    events: ({ after, limit, waitMs }) => {
      requirePosition(after);
      const size = pageSize(limit);
      const read = () => outbox.after(after, size);
      return untilFound(waits, waitMs, read, (events) => events?.length !== 0);
    },
    claimRequests: ({ after, waitMs }) => {
      requireWhole('after', after);
      const read = () => incoming.claimRequestsAfter(after);
      return untilFound(waits, waitMs, read, (requests) => requests.length > 0);
    },
    decideClaim: ({ askId, decision }) => {
      incoming.decide(askId, decision);
      return done(null);
    },
    queryRoutes: (query) => {
      requirePoint('destination', query.destination);
      requireWhole('amountMsat', query.amountMsat, 1);
      return () => routesTo(node, query);
    },
    listChannels: () => () => channelsOf(network, node),
    balance: () => () => ({ localMsat: localBalance(node) }),
    claimForLedger: ({ ledgerId, replaces }) => {
      requireId('ledgerId', ledgerId);
      return done(service.claimForLedger(ledgerId, replaces));
    },
  };
}

function outsideHandlers({ network, outside, waits }: Engine, { pubkey }: LdkNode): Pick<Handlers, OutsideCommand> {
  const ended = (id: number) => {
    const read = () => outside.payment(id);
    return () => waits.until(read, ({ state }) => state !== 'pending', OUTSIDE_WAIT_MS);
  };
  return {
    describe: () => () => ({
      network: 'regtest',
      nodes: [...network.nodes.values()].map((node) => ({ name: node.name, pubkey: node.pubkey })),
      channels: playgroundChannels(network),
      unreachablePubkey: UNREACHABLE_PUBKEY,
    }),
    outsidePay: (request) => ended(outside.pay(request)),
    outsideInvoice: (request) => done(outside.createInvoice(request)),
    outsideKeysend: (request) => ended(outside.keysend(pubkey, request)),
    outsidePayments: ({ after, limit }) => {
      requireWhole('after', after);
      const size = pageSize(limit);
      return () => outside.paymentsAfter(after, size);
    },
    resolveHold: ({ paymentHash, action }) => {
      outside.resolveHold(paymentHash, action);
      return done(null);
    },
  };
}

function done<T>(answer: T): () => T {
  return () => answer;
}

function pageSize(limit: number): number {
  requireWhole('limit', limit, 1);
  return Math.min(limit, MAX_PAGE);
}

function untilFound<T>(waits: Waits, waitMs: number, read: () => T, isFound: (value: T) => boolean): () => T | Promise<T> {
  requireWhole('waitMs', waitMs);
  return () => waits.until(read, isFound, Math.min(waitMs, MAX_WAIT_MS));
}

/** A point made from a hash, so its secret key is unknown. */
const UNREACHABLE_PUBKEY = pointFromHash('satchel playground: nobody is here');

function pointFromHash(text: string): string {
  let x = hexOf(sha256(text));
  // About every second number is the x coordinate of a point.
  while (!isPublicKey(`02${x}`)) x = hexOf(sha256(bytesOf(x)));
  return `02${x}`;
}
