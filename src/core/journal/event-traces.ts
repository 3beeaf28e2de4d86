import type { RowWrite } from '../db/row-write.ts';
import { traceToStore } from '../kernel/tracing.ts';
import { insertTrace } from './event-traces.sql.ts';

/**
 * Returns the row that connects the events of a payment, an invoice or a transfer with the trace of the request that creates it; none if the
 * request has no trace. It belongs to the transaction that creates the object. Another instance may deliver the events, much later.
 */
export function traceRows(subject: string): RowWrite[] {
  const found = traceToStore();
  return found ? [{ statement: insertTrace, parameters: [subject, found.accountId, found.traceparent], onMiss: 'ignore' }] : [];
}
