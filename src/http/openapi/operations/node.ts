import { STORY } from '../examples.ts';
import type { OperationNotes } from '../operations.ts';

const NODE = { tag: 'Node', needs: 'any_key', path: { id: 'default' } } as const;

export const NODE_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'GET /v1/nodes': { tag: 'Node', id: 'listNodes', summary: 'List the nodes of the service', needs: 'account', answer: 'Node' },
  'GET /v1/node/:id': {
    ...NODE,
    id: 'getNode',
    summary: 'Read the node',
    description: '`default` is the one there is.',
    answer: 'Node',
  },
  'GET /v1/node/:id/payments/decodeinvoice': {
    ...NODE,
    id: 'decodeInvoice',
    summary: 'Decode an invoice',
    description: 'Numbers are texts here.',
    query: { payment_request: 'lnbcrt10u1p4szcp7…' },
    answer: 'DecodedInvoice',
  },
  'GET /v1/node/:id/payments/queryroutes': {
    ...NODE,
    id: 'queryRoutes',
    summary: 'Ask for a route',
    description: 'The way to a node for so many satoshis, and what it would cost; nothing is sent. 400 `no_route` when there is none.',
    query: { pub_key: STORY.pubkey, amt: 1000 },
    answer: 'Routes',
  },
};
