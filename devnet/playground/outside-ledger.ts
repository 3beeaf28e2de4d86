import type { Msat } from '../../src/kernel/money.ts';
import type { NodeName, OutsideName, OutsidePayment } from '../../src/lightning/test-network.ts';
import type { Row, Store } from './store.ts';

type Direction = OutsidePayment['direction'];

/** What alice and carol say of their payments: one row per node, direction and hash, written from their own LDK events. */
export class OutsideLedger {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A payment that has begun; a failed one of the same hash begins again. Returns its id. */
  begin(payment: Pick<OutsidePayment, 'node' | 'direction' | 'paymentHash' | 'amountMsat'>, ldkId: string | null): number {
    const row = this.#store.get(
      `INSERT INTO outside_payments (node, direction, payment_hash, ldk_id, amount_msat, state) VALUES (?, ?, ?, ?, ?, 'pending')
       ON CONFLICT (node, direction, payment_hash) DO UPDATE SET state = 'pending', ldk_id = excluded.ldk_id, amount_msat = excluded.amount_msat
       RETURNING id`,
      payment.node,
      payment.direction,
      payment.paymentHash,
      ldkId,
      payment.amountMsat,
    );
    return row?.id as number;
  }

  /** How a payment ended; what LDK repeats changes nothing. */
  end(node: NodeName, direction: Direction, paymentHash: string, state: 'succeeded' | 'failed', feeMsat = 0): void {
    this.#store.run(
      `UPDATE outside_payments SET state = ?, fee_msat = ? WHERE node = ? AND direction = ? AND payment_hash = ? AND state = 'pending'`,
      state,
      feeMsat,
      node,
      direction,
      paymentHash,
    );
  }

  find(node: OutsideName, direction: Direction, paymentHash: string): OutsidePayment | undefined {
    const sql = 'SELECT * FROM outside_payments WHERE node = ? AND direction = ? AND payment_hash = ?';
    const row = this.#store.get(sql, node, direction, paymentHash);
    return row && asPayment(row);
  }

  after(id: number, limit: number): OutsidePayment[] {
    return this.#store.all('SELECT * FROM outside_payments WHERE id > ? ORDER BY id LIMIT ?', id, limit).map(asPayment);
  }

  hashOf(ldkId: string): string | undefined {
    return this.#store.get('SELECT payment_hash FROM outside_payments WHERE ldk_id = ?', ldkId)?.payment_hash as string | undefined;
  }

  byId(id: number): OutsidePayment {
    return asPayment(this.#store.get('SELECT * FROM outside_payments WHERE id = ?', id) as Row);
  }
}

function asPayment(row: Row): OutsidePayment {
  return {
    id: row.id as number,
    node: row.node as OutsideName,
    direction: row.direction as Direction,
    paymentHash: row.payment_hash as string,
    amountMsat: row.amount_msat as Msat,
    feeMsat: row.fee_msat as Msat,
    state: row.state as OutsidePayment['state'],
  };
}
