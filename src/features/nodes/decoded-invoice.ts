import { type Static, Type } from 'typebox';
import { floorSat, satToMsat } from '../../core/kernel/money.ts';
import type { Bolt11 } from '../../core/lightning/bolt11/bolt11.ts';
import { namedObject } from '../../http/responses/response-types.ts';

const HintObject = Type.Object({
  node_id: Type.String({ description: 'The public key of the node at the start of the channel, in hex' }),
  chan_id: Type.String({ description: 'The short channel id, as a decimal number' }),
  fee_base_msat: Type.String({ description: 'The fee for each payment, in millisatoshis' }),
  fee_proportional_millionths: Type.String({ description: 'The fee for each million of the amount' }),
  cltv_expiry_delta: Type.String({ description: 'The number of blocks that the channel requires' }),
});

const FeatureObject = Type.Object({
  name: Type.String({ description: 'The name of the feature in BOLT 9, or `unknown`' }),
  is_required: Type.Boolean({ description: 'Whether a payer must support it' }),
  is_known: Type.Boolean({ description: 'Whether this service knows its name' }),
});

/** A decoded invoice, as the node API of LND has it. */
export const DecodedInvoice = namedObject('DecodedInvoice', {
  destination: Type.String({ description: 'The public key of the node that is paid, in hex' }),
  payment_hash: Type.String({ description: '32 bytes in hex' }),
  num_satoshis: Type.String({ description: 'The amount in satoshis; `0` for an invoice without an amount' }),
  num_msat: Type.String({ description: 'The amount in millisatoshis; `0` for an invoice without an amount' }),
  timestamp: Type.String({ description: 'The time of the invoice, in Unix seconds' }),
  expiry: Type.String({ description: 'How long the invoice can be paid, in seconds from `timestamp`' }),
  description: Type.String({ description: 'The description in the invoice; empty when there is none' }),
  description_hash: Type.String({ description: 'The hash of the description, in hex; empty when there is none' }),
  cltv_expiry: Type.String({ description: 'The number of blocks that the last hop requires' }),
  payment_addr: Type.String({ description: 'The payment secret, in hex' }),
  route_hints: Type.Array(Type.Object({ hop_hints: Type.Array(HintObject, { description: 'The channels of the route, in order' }) }), {
    description: 'Routes to a node that is not announced',
  }),
  features: Type.Record(Type.String(), FeatureObject, { description: 'The features of the invoice, by their bit' }),
});

export function decodedInvoice(invoice: Bolt11): Static<typeof DecodedInvoice> {
  const amountMsat = invoice.amountMsat ?? satToMsat(0);
  return {
    destination: invoice.payee,
    payment_hash: invoice.paymentHash,
    num_satoshis: String(floorSat(amountMsat)),
    num_msat: String(amountMsat),
    timestamp: String(invoice.timestamp),
    expiry: String(invoice.expirySeconds),
    description: invoice.description ?? '',
    description_hash: invoice.descriptionHash ?? '',
    cltv_expiry: String(invoice.minFinalCltvExpiry),
    payment_addr: invoice.paymentSecret,
    route_hints: invoice.routeHints.map((hops) => ({
      hop_hints: hops.map((hop) => ({
        node_id: hop.pubkey,
        chan_id: hop.shortChannelId,
        fee_base_msat: String(hop.feeBaseMsat),
        fee_proportional_millionths: String(hop.feeProportionalMillionths),
        cltv_expiry_delta: String(hop.cltvExpiryDelta),
      })),
    })),
    features: Object.fromEntries(
      invoice.features.map(({ bit, name, required }) => [bit, { name, is_required: required, is_known: name !== 'unknown' }]),
    ),
  };
}
