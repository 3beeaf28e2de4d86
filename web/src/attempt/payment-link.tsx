import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { money } from '../texts/en-money.ts';
import type { Failed } from './attempt.ts';

/** Leads to a failed payment, whose error names only its wallet transaction. */
export function PaymentLink({ failed: { wtxId, lntxId } }: { failed: Failed }) {
  const isNeeded = lntxId === undefined && wtxId !== undefined;
  const transaction = useResource(isNeeded ? `wtx ${wtxId}` : undefined, (signal) => api.transactions.get(wtxId ?? '', {}, { signal }));
  const id = lntxId ?? transaction.data?.lnTx?.id;
  return <p class="small centered">{id === undefined ? '\u00a0' : <Link href={`/payments/${id}`}>{money.attempt.openPayment}</Link>}</p>;
}
