import { traced } from '../kernel/tracing.ts';
import type { LightningNode } from '../lightning/node.ts';

/** The calls that have one response. Streams last as long as the connection. */
const CALLS: ReadonlySet<PropertyKey> = new Set<keyof LightningNode>([
  'info',
  'createInvoice',
  'createHoldInvoice',
  'settleHoldInvoice',
  'findHoldInvoice',
  'listHeldPayments',
  'hasHtlcOf',
  'cancelInvoice',
  'pay',
  'keysend',
  'lookupPayment',
  'lookupInvoice',
  'settlementFinality',
  'readSentPayments',
  'readSettlements',
  'newestSettlement',
  'knowsPosition',
  'collectEvidence',
  'checkCredential',
  'queryRoutes',
  'listChannels',
  'balance',
  'closedChannels',
]);

/** A call to a node that has ended. */
export interface NodeCall {
  readonly nodeId: string;
  readonly call: string;
  readonly seconds: number;
  /** Whether it threw. */
  readonly hasFailed: boolean;
}

/** Returns a node whose calls are spans and are reported when they end. */
export function observedNode(node: LightningNode, nodeId: string, report: (call: NodeCall) => void): LightningNode {
  const observe = (call: string, send: () => Promise<unknown>) =>
    traced(`node ${call}`, { attributes: { 'satchel.node_id': nodeId } }, async () => {
      const started = performance.now();
      const end = (hasFailed: boolean) => report({ nodeId, call, seconds: (performance.now() - started) / 1000, hasFailed });
      try {
        const result = await send();
        end(false);
        return result;
      } catch (error) {
        end(true);
        throw error;
      }
    });
  return new Proxy(node, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!CALLS.has(name)) return value.bind(target);
      return (...given: unknown[]) => observe(String(name), () => value.apply(target, given));
    },
  });
}
