import { createHash, randomBytes } from 'node:crypto';
import type { InvoiceRequest, LightningNode } from '../../src/lightning/node.ts';

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
  const preimage = randomBytes(32);
  const { paymentRequest } = await node.createInvoice({ ...request, preimage: preimage.toString('hex') });
  return { paymentRequest, paymentHash: createHash('sha256').update(preimage).digest('hex'), preimage: preimage.toString('hex') };
}
