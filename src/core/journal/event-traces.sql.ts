import { statement } from '../db/statement.ts';

/** Keeps the first trace of an object. */
export const insertTrace = statement(
  'event_trace_insert',
  'INSERT INTO event_trace (subject, account_id, traceparent) VALUES ($1, $2, $3) ON CONFLICT (subject) DO NOTHING',
);
