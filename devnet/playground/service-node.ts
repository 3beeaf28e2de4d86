import * as ldk from 'lightningdevkit';
import { IncomingPayments } from './incoming-payments.ts';
import type { LdkNode } from './ldk-node.ts';
import { Outbox } from './outbox.ts';
import { OutgoingPayments } from './outgoing-payments.ts';
import type { Store } from './store.ts';

/** A node that belongs to a service, and the records of its payments. */
export class ServiceNode {
  readonly ldk: LdkNode;
  readonly incoming: IncomingPayments;
  readonly outgoing: OutgoingPayments;
  readonly outbox: Outbox;
  readonly #store: Store;

  constructor(store: Store, node: LdkNode) {
    this.#store = store;
    this.ldk = node;
    this.outbox = new Outbox(store, node.name);
    this.incoming = new IncomingPayments(store, node, this.outbox);
    this.outgoing = new OutgoingPayments(store, node, this.outbox);
  }

  /** Stores the ledger that owns the node, unless another one does. Returns the stored one. */
  claimForLedger(ledgerId: string, replaces: string | undefined): string {
    const sql = 'INSERT INTO ledger (node, id) VALUES (?, ?) ON CONFLICT DO UPDATE SET id = excluded.id WHERE ledger.id = ?';
    this.#store.run(sql, this.ldk.name, ledgerId, replaces ?? null);
    return this.#store.get('SELECT id FROM ledger WHERE node = ?', this.ldk.name)?.id as string;
  }

  handleEvent(event: ldk.Event): void {
    if (event instanceof ldk.Event_PaymentClaimable) this.incoming.arrived(event);
    else if (event instanceof ldk.Event_PaymentClaimed) this.incoming.claimed(event);
    else if (event instanceof ldk.Event_PaymentSent) this.outgoing.sent(event);
    else if (event instanceof ldk.Event_PaymentFailed) this.outgoing.failed(event);
  }
}
