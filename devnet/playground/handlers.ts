import { isPublicKey } from '../../src/lightning/public-key.ts';
import { NODE_NAMES } from '../../src/lightning/test-network.ts';
import { requireId, requirePoint, requirePosition, requireWhole } from '../checks.ts';
import { bytesOf, hexOf, msatOf, sha256, u64Of } from './bindings.ts';
import type { Engine } from './engine.ts';
import type { LdkNode } from './ldk-node.ts';
import type { AnswerOf, AskOf, CommandName } from './protocol.ts';
import { routesTo } from './routes.ts';

/** Tells the answer; it is called after the commit, and may take its time. */
export type Finish<N extends CommandName> = () => AnswerOf<N> | Promise<AnswerOf<N>>;

/** Begins a command inside a slice. A handler that throws a PlaygroundRefusal must have done nothing yet. */
export type Handlers = { readonly [N in CommandName]: (ask: AskOf<N>) => Finish<N> };

/** How long an outside payment is waited for when the hub's guard lets it wait. */
const OUTSIDE_WAIT_MS = 10_000;
const MAX_PAGE = 1_000;
const CLAIM = 'INSERT INTO ledger (one, id) VALUES (1, ?) ON CONFLICT DO UPDATE SET id = excluded.id WHERE ledger.id = ?';

export function handlersOf(engine: Engine): Handlers {
  const { incoming, outgoing, outbox, ledger, outsideSending, outsideReceiving } = engine;
  const outcome = (paymentId: string) => () => outgoing.lookup(paymentId) ?? { state: 'pending' as const };
  const outside = (id: number) => () => ledger.final(id, OUTSIDE_WAIT_MS);
  return {
    describe: () => () => ({
      network: 'regtest',
      nodes: NODE_NAMES.map((name) => ({ name, pubkey: engine.network.nodes[name].pubkey })),
      unreachablePubkey: UNREACHABLE_PUBKEY,
    }),
    createInvoice: (ask) => done(incoming.createInvoice(ask)),
    cancelInvoice: (ask) => done(incoming.cancelInvoice(ask.paymentHash)),
    pay: (ask) => {
      outgoing.pay(ask);
      return outcome(ask.paymentId);
    },
    keysend: (ask) => {
      outgoing.keysend(ask);
      return outcome(ask.paymentId);
    },
    lookupPayment: (ask) => {
      outgoing.lookup(ask.paymentId);
      return () => outgoing.lookup(ask.paymentId);
    },
    lookupInvoice: (ask) => done(incoming.lookupInvoice(ask.paymentHash)),
    events: (ask) => {
      requirePosition(ask.after);
      requireWhole('limit', ask.limit, 1);
      return () => outbox.after(ask.after, Math.min(ask.limit, MAX_PAGE));
    },
    openAsks: () => () => incoming.asksAfter(0),
    decide: (ask) => {
      incoming.decide(ask.askId, ask.decision);
      return done(null);
    },
    queryRoutes: (ask) => {
      requirePoint('destination', ask.destination);
      requireWhole('amountMsat', ask.amountMsat, 1);
      return () => routesTo(engine.network.nodes.hub, ask);
    },
    balance: () => () => ({ localMsat: msatOf(localBalance(engine.network.nodes.hub)) }),
    claimForLedger: ({ ledgerId, replaces }) => {
      requireId('ledgerId', ledgerId);
      engine.store.run(CLAIM, ledgerId, replaces ?? null);
      return done(engine.store.get('SELECT id FROM ledger')?.id as string);
    },
    outsidePay: (ask) => outside(outsideSending.pay(ask)),
    outsideInvoice: (ask) => done(outsideReceiving.createInvoice(ask)),
    outsideKeysend: (ask) => outside(outsideSending.keysend(ask)),
    outsidePayments: (ask) => {
      requirePage(ask);
      return () => ledger.after(ask.after, Math.min(ask.limit, MAX_PAGE));
    },
    resolveHold: (ask) => {
      outsideReceiving.resolveHold(ask.paymentHash, ask.action);
      return done(null);
    },
  };
}

function done<T>(answer: T): () => T {
  return () => answer;
}

function requirePage(ask: { after: number; limit: number }): void {
  requireWhole('after', ask.after);
  requireWhole('limit', ask.limit, 1);
}

/** Our side of the channels: what can be sent, the reserve, and what is on its way out. */
function localBalance(node: LdkNode): bigint {
  let sum = 0n;
  for (const channel of node.manager.list_channels()) {
    sum += channel.get_outbound_capacity_msat();
    sum += (u64Of(channel.get_unspendable_punishment_reserve()) ?? 0n) * 1_000n;
    for (const htlc of channel.get_pending_outbound_htlcs()) sum += htlc.get_amount_msat();
  }
  return sum;
}

/** A point made from a hash: nobody knows its secret key. */
const UNREACHABLE_PUBKEY = pointFromHash('satchel playground: nobody is here');

function pointFromHash(text: string): string {
  let x = hexOf(sha256(text));
  // About every second number is the x of a point.
  while (!isPublicKey(`02${x}`)) x = hexOf(sha256(bytesOf(x)));
  return `02${x}`;
}
