import type { Bolt11 } from '../../core/lightning/bolt11/bolt11.ts';
import { decodedInvoice, isInvoiceFor } from './invoice-of.ts';
import type { SourceHistoryRow } from './source.ts';

/** The node of the ledger, which must be the one that signed the invoices of the source. */
export interface SigningNode {
  readonly pubkey: string;
  readonly network: string;
}

/** Recovering a key costs 0.3 ms, so only the newest invoices of the whole source are judged, besides open ones. */
const NEWEST = 100;
/** Seconds before the newest invoice. Older ones may be of a node that was replaced. */
const RECENT_SECONDS = 30 * 86_400;

/** Finds the nodes that have signed the newest invoices of a source, whatever became of them. Its memory does not grow with the rows. */
export class Signers {
  #newest: SourceHistoryRow[] = [];

  add(row: SourceHistoryRow): void {
    // LNbits has internal invoices that no node has signed.
    if (row.kind !== 'lightning' || row.amountMsat < 0 || row.paymentRequest === undefined) return;
    this.#newest.push(row);
    if (this.#newest.length >= 2 * NEWEST) this.#newest = this.#sorted();
  }

  /**
   * Returns what is wrong if another node, or one of another network, has signed most of them; undefined if nothing is. Single ones prove nothing:
   * LNbits has receipts in fiat, whose invoices no node has signed.
   */
  problemAt(node: SigningNode): string | undefined {
    const rows = this.#sorted();
    const since = (rows[0]?.createdAt ?? 0) - RECENT_SECONDS;
    const recent = rows.filter(({ createdAt }) => createdAt >= since).flatMap((row) => decodedInvoice(row) ?? []);
    const foreign = recent.filter((invoice) => !isOf(node, invoice));
    const [first] = foreign;
    if (!first || 2 * foreign.length <= recent.length) return undefined;
    return (
      `${foreign.length} of the ${recent.length} newest invoices of the source are of another node, such as ${first.payee} on ${first.network}; the ` +
      `node of the ledger is ${node.pubkey} on ${node.network}. What they receive does not arrive here. Bind the ledger to the node of the source, or add ` +
      '--other-node with the reason'
    );
  }

  #sorted(): SourceHistoryRow[] {
    return this.#newest.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, NEWEST);
  }
}

function isOf({ pubkey, network }: SigningNode, invoice: Bolt11): boolean {
  return invoice.payee === pubkey && invoice.network === network;
}

/** Returns the invoice of an open row that the node of the ledger can be paid, or why it is not imported. */
export function openInvoiceOf(row: SourceHistoryRow, node: SigningNode): Bolt11 | 'invalid' | 'of another node' {
  const invoice = decodedInvoice(row);
  if (invoice && !isOf(node, invoice)) return 'of another node';
  return invoice && isInvoiceFor(row, invoice) ? invoice : 'invalid';
}
