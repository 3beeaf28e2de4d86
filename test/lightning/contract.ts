import { afterAll, describe } from 'vitest';
import { channelContract } from './contract/channels.ts';
import { eventContract } from './contract/events.ts';
import { guardContract } from './contract/guard.ts';
import { holdInvoiceContract } from './contract/hold-invoices.ts';
import { identityContract } from './contract/identity.ts';
import { invoiceContract } from './contract/invoices.ts';
import { paymentContract } from './contract/payments.ts';
import { recordContract } from './contract/records.ts';
import { sendingContract } from './contract/sending.ts';
import type { Subject } from './contract/subject.ts';

export type { Subject } from './contract/subject.ts';

export interface ContractOptions {
  /** Opens the adapter; again after each `node.close()`, on the same node. */
  open(): Promise<Subject>;
}

/** Tests that every adapter must pass. The capabilities of a node decide which apply; the others are skipped with the reason. */
export function nodeContract(name: string, { open }: ContractOptions): void {
  describe(`the contract of the port: ${name}`, () => {
    let shared: Promise<Subject> | undefined;
    const subject = (): Promise<Subject> => (shared ??= open());
    const reopened = async (): Promise<Subject> => {
      await (await subject()).node.close();
      shared = undefined;
      return subject();
    };
    afterAll(async () => (await shared)?.node.close());

    const suite = { subject, reopened };
    identityContract(suite);
    channelContract(suite);
    sendingContract(suite);
    paymentContract(suite);
    invoiceContract(suite);
    holdInvoiceContract(suite);
    guardContract(suite);
    recordContract(suite);
    eventContract(suite);
  });
}
