import type { LightningNode, NodeInfo } from '../../src/lightning/node.ts';
import type { Bell } from './bell.ts';
import { eventFeed } from './event-feed.ts';
import type { Gate } from './gate.ts';
import type { Call } from './link.ts';

/** What the hub's client is made of. */
export interface HubParts {
  readonly call: Call;
  readonly gate: Gate;
  readonly bell: Bell;
  /** Aborts when the playground closes. */
  readonly closing: AbortSignal;
  close(): Promise<void>;
}

/** The hub, seen through the node port. */
export function hubNode({ call, gate, bell, closing, close }: HubParts): LightningNode {
  return {
    info: async () => {
      const { nodes } = await call('describe', null);
      const pubkey = nodes.find((node) => node.name === 'hub')?.pubkey as string;
      return { pubkey, alias: 'hub', network: 'regtest' } satisfies NodeInfo;
    },
    createInvoice: (request) => call('createInvoice', request),
    cancelInvoice: (paymentHash) => call('cancelInvoice', { paymentHash }),
    pay: (order) => call('pay', order),
    keysend: (order) => call('keysend', order),
    lookupPayment: (paymentId) => call('lookupPayment', { paymentId }),
    lookupInvoice: (paymentHash) => call('lookupInvoice', { paymentHash }),
    guardIncoming: (guard) => gate.setGuard(guard),
    watch: (position, signal) => eventFeed(call, bell, position, AbortSignal.any([signal, closing])),
    knowsPosition: async (position) => (await call('events', { after: position, limit: 1 })) !== null,
    queryRoutes: (query) => call('queryRoutes', query),
    balance: () => call('balance', null),
    claimForLedger: (ledgerId, replaces) => call('claimForLedger', { ledgerId, replaces }),
    close,
  };
}
