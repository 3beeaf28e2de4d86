import {
  type Bolt11Invoice,
  Bolt11InvoiceDescription,
  Description,
  type Event_PaymentClaimable,
  type Event_PaymentClaimed,
  Option_u16Z,
  Option_u32Z,
  PaymentPurpose_SpontaneousPayment,
  Sha256,
} from 'lightningdevkit';
import type { Msat } from '../../src/kernel/money.ts';
import { PlaygroundRefusal } from '../../src/lightning/test-network.ts';
import { KEYSEND_PREIMAGE_TYPE } from '../checks.ts';
import { bytes32Of, bytesOf, hexOf, msatOf, some32, someU64, unwrap } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';

/** A payment at the door of a node, or one that it has claimed. */
export interface Receipt {
  readonly paymentHash: string;
  /** Undefined for an invoice whose preimage LDK does not know: a hold invoice. */
  readonly preimage: string | undefined;
  readonly amountMsat: Msat;
  readonly keysend: boolean;
  readonly customRecords: Record<string, string>;
}

export function readReceipt(event: Event_PaymentClaimable | Event_PaymentClaimed): Receipt {
  const preimage = bytes32Of(event.purpose.preimage());
  const customRecords: Record<string, string> = {};
  for (const tlv of event.onion_fields.custom_tlvs()) {
    if (tlv.get_a() !== KEYSEND_PREIMAGE_TYPE) customRecords[tlv.get_a().toString()] = hexOf(tlv.get_b());
  }
  return {
    paymentHash: hexOf(event.payment_hash),
    preimage: preimage && hexOf(preimage),
    amountMsat: msatOf(event.amount_msat),
    keysend: event.purpose instanceof PaymentPurpose_SpontaneousPayment,
    customRecords,
  };
}

/** Takes the money; the event `PaymentClaimed` follows. */
export function claim(node: LdkNode, preimage: string): void {
  // The other claim refuses payments that carry even custom records, which the sender means to be understood.
  node.manager.claim_funds_with_known_custom_tlvs(bytesOf(preimage));
}

export function sendBack(node: LdkNode, paymentHash: string): void {
  node.manager.fail_htlc_backwards(bytesOf(paymentHash));
}

export interface NewInvoice {
  readonly amountMsat?: number | undefined;
  readonly description: string;
  readonly descriptionHash?: string | undefined;
  readonly expirySeconds: number;
  /** Given: LDK does not know the preimage, and the payment waits for us to claim it. */
  readonly paymentHash?: string | undefined;
}

/** Makes an invoice; the arguments have been checked. Costs about 0.8 ms and changes nothing in LDK. @throws PlaygroundRefusal */
export function makeInvoice(node: LdkNode, wanted: NewInvoice): Bolt11Invoice {
  const description = wanted.descriptionHash
    ? Bolt11InvoiceDescription.constructor_hash(Sha256.constructor_from_bytes(bytesOf(wanted.descriptionHash)))
    : Bolt11InvoiceDescription.constructor_direct(
        unwrap<Description>(Description.constructor_new(wanted.description), 'take the description'),
      );
  const made = node.manager.create_bolt11_invoice(
    someU64(wanted.amountMsat),
    description,
    Option_u32Z.constructor_some(wanted.expirySeconds),
    Option_u16Z.constructor_none(),
    some32(wanted.paymentHash === undefined ? undefined : bytesOf(wanted.paymentHash)),
  );
  if (!made.is_ok()) throw new PlaygroundRefusal('LDK cannot make an invoice of this');
  return unwrap<Bolt11Invoice>(made, 'make the invoice');
}
