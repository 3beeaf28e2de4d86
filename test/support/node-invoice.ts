import { randomBytes } from 'node:crypto';
import type { InvoiceRequest, LightningNode } from '../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';

export interface NodeInvoice {
  readonly paymentRequest: string;
  readonly paymentHash: string;
  readonly preimage: string;
}

/** Creates an invoice with a random preimage at a node. */
export async function nodeInvoice(
  node: Pick<LightningNode, 'createInvoice'>,
  request: Omit<InvoiceRequest, 'preimage'>,
): Promise<NodeInvoice> {
  const preimage = randomBytes(32).toString('hex');
  const { paymentRequest } = await node.createInvoice({ ...request, preimage });
  return { paymentRequest, paymentHash: paymentHashOf(preimage), preimage };
}
