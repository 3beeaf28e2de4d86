import { setTimeout as delay } from 'node:timers/promises';
import type { Invoices } from '../../src/core/invoices/invoices.ts';
import { markBooked } from '../../src/core/kernel/booking-mark.ts';
import type { Msat } from '../../src/core/kernel/money.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { InvalidInvoice } from '../../src/core/lightning/bolt11/bolt11.ts';
import type { Access } from '../../src/http/auth/access.ts';
import { choice } from '../../src/http/fields.ts';
import { requires } from '../../src/http/openapi/route-schema.ts';
import { OutcomeUnknown, type OutsideInvoice, type PlaygroundControl, PlaygroundRefusal } from '../test-network.ts';

/** Uses links and addresses of this service for a node outside, by the requests of LNURL. `accountId`: whose requests they count as. */
export interface OutsideLinks {
  /** @throws Refusal */
  requestInvoice(
    accountId: string,
    order: { destination: string; amountMsat: Msat; comment?: string | undefined },
  ): Promise<{ paymentRequest: string; paymentHash: string; commentNotSent: string | undefined }>;
  /** Sends the invoice that `createInvoice` makes to a withdraw link. @throws Refusal if the link does not pay it */
  claim(
    accountId: string,
    order: {
      lnurl: string;
      amountMsat?: Msat | undefined;
      createInvoice: (offer: { amountMsat: Msat; memo: string }) => Promise<OutsideInvoice>;
    },
  ): Promise<OutsideInvoice>;
}

export interface PlaygroundRouteDependencies {
  readonly access: Access;
  readonly invoices: Invoices;
  readonly control: PlaygroundControl;
  readonly links: OutsideLinks;
}

export const OutsideNode = choice(['alice', 'carol'], { description: '`alice` is our peer, `carol` is behind alice. Default: `alice`' });

/** Parts of the schemas of all routes of the playground. */
export const COMMON = { tags: ['Playground'], ...requires('secret_key') };

export const CREDIT_WAIT_MS = 10_000;
export const CREDIT_POLL_MS = 10;
const STOPPED =
  'The playground stopped before it answered, so the outcome is unknown. GET /playground/payments lists what its nodes have sent and received.';

/** Waits for the credit: the payer may report success a moment before our ledger has booked the credit. */
export async function untilCredited(invoices: Invoices, paymentHash: string): Promise<void> {
  for (const deadline = Date.now() + CREDIT_WAIT_MS; Date.now() < deadline; await delay(CREDIT_POLL_MS)) {
    if ((await invoices.findByHash(paymentHash))?.state === 'settled') return;
  }
}

/** Runs a command of the playground, which may book something there. @throws Refusal when the playground rejects it, or stops before it answers. */
export async function playing<T>(play: () => T | Promise<T>): Promise<T> {
  markBooked();
  try {
    return await play();
  } catch (error) {
    if (error instanceof OutcomeUnknown) throw new Refusal('node_unavailable', STOPPED);
    if (error instanceof PlaygroundRefusal || error instanceof InvalidInvoice) {
      throw new Refusal('playground_refused', error.message);
    }
    throw error;
  }
}
