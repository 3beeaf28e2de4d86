import { type Msat, msat } from '../../kernel/money.ts';
import { InvalidInvoice } from './invalid-invoice.ts';

/** One channel of a private route towards the payee. */
export interface RouteHint {
  /** The node at the start of the channel: 33 bytes in hex. */
  readonly pubkey: string;
  /** 64 bits in decimal. */
  readonly shortChannelId: string;
  readonly feeBaseMsat: Msat;
  readonly feeProportionalMillionths: number;
  /** In blocks. */
  readonly cltvExpiryDelta: number;
}

const PUBKEY_BYTES = 33;
const HOP_BYTES = PUBKEY_BYTES + 8 + 4 + 4 + 2;

/**
 * Reads one `r` field, the hops in forward order. A field holds at most 1,023 words, which is 12 hops, and the bound on the text
 * leaves room for 83 in all of them together; so there is nothing more to limit here.
 * Source: BOLT11, "Tagged Fields", `r`.
 * @throws InvalidInvoice
 */
export function readRoute(bytes: Uint8Array): RouteHint[] {
  if (bytes.length === 0 || bytes.length % HOP_BYTES !== 0) throw new InvalidInvoice('an r field is not a whole number of hops');
  const hops: RouteHint[] = [];
  for (let at = 0; at < bytes.length; at += HOP_BYTES) hops.push(readHop(bytes.subarray(at, at + HOP_BYTES)));
  return hops;
}

function readHop(bytes: Uint8Array): RouteHint {
  // Only the form: whether the point is on the curve would cost a square root for each hop, and the node asks that anyway.
  if (bytes[0] !== 2 && bytes[0] !== 3) throw new InvalidInvoice('an r field names something that is not a public key');
  const rest = new DataView(bytes.buffer, bytes.byteOffset + PUBKEY_BYTES);
  return {
    pubkey: Buffer.from(bytes.subarray(0, PUBKEY_BYTES)).toString('hex'),
    shortChannelId: rest.getBigUint64(0).toString(),
    feeBaseMsat: msat(rest.getUint32(8)),
    feeProportionalMillionths: rest.getUint32(12),
    cltvExpiryDelta: rest.getUint16(16),
  };
}
