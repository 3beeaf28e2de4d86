import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { ID_LENGTH } from '../../core/kernel/ids.ts';

const PREFIX = 'lntx_';
const DOMAIN = 'satchel invoice status 1';
const MAC_BYTES = 16;
const TOKEN = new RegExp(`^([0-9A-Za-z]{${ID_LENGTH}})([0-9a-f]{${2 * MAC_BYTES}})$`);

/**
 * Returns the token by which anyone may read the status of an invoice: its id, and a MAC whose key is the preimage. The preimage is unknown
 * to everyone until the payment, and the MAC does not reveal it. So tokens need no storage and no secret of their own.
 */
export function statusToken({ id, preimage = '' }: { readonly id: string; readonly preimage?: string | undefined }): string {
  return `${id.slice(PREFIX.length)}${mac(preimage).toString('hex')}`;
}

/** Finds the invoice of a token. */
export async function findByStatusToken(invoices: Invoices, token: string): Promise<Invoice | undefined> {
  const [, id, sent] = TOKEN.exec(token) ?? [];
  if (id === undefined || sent === undefined) return undefined;
  const invoice = await invoices.find(`${PREFIX}${id}`);
  // The preimage of a keysend is the payer's.
  if (invoice?.preimage === undefined || invoice.isKeysend) return undefined;
  return timingSafeEqual(mac(invoice.preimage), Buffer.from(sent, 'hex')) ? invoice : undefined;
}

function mac(preimage: string): Buffer {
  return createHmac('sha256', Buffer.from(preimage, 'hex')).update(DOMAIN).digest().subarray(0, MAC_BYTES);
}
