import type { PlaygroundControl } from '../../src/lightning/test-network.ts';
import type { Call } from './link.ts';

export function playgroundControl(call: Call): PlaygroundControl {
  return {
    describe: () => call('describe', null),
    payInvoice: (request) => call('outsidePay', request),
    createInvoice: (request) => call('outsideInvoice', request),
    keysend: (request) => call('outsideKeysend', request),
    payments: (after, limit) => call('outsidePayments', { after, limit }),
    resolveHold: async (paymentHash, action) => {
      await call('resolveHold', { paymentHash, action });
    },
  };
}
