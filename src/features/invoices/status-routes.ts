import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { floorSat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { WaitQuery } from '../../http/fields.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import type { ReadState, StatusWaits, Watched } from '../events/status-waits.ts';
import { RETRY_MS, type Streams, wantsStream } from '../events/streams.ts';
import { type LightningTransaction, ofInvoice } from '../transactions/lightning-transaction.ts';
import { LightningTransactionObject } from '../transactions/lightning-transaction-object.ts';
import { findByStatusToken, statusToken } from './status-token.ts';

const { status, num_satoshis, expires_at } = LightningTransactionObject.properties;

const InvoiceStatusObject = Type.Object({ status, num_satoshis, expires_at }, { title: 'InvoiceStatus' });

const getSchema = {
  operationId: 'getInvoiceStatus',
  tags: ['Money'],
  summary: 'Read the status of an invoice without a key',
  description: 'For the page on which a payer sees the invoice. Its address is the `status_url` in the response that created the invoice.',
  ...PUBLIC,
  params: Type.Object({ token: Type.String({ description: 'The token of the `status_url`' }) }),
  querystring: WaitQuery,
  response: { 200: InvoiceStatusObject },
  eventStream:
    'With `Accept: text/event-stream`: a stream with the object as `data`, at once and after each change. It ends after a final status; a ' +
    'client that then connects again gets 204, at which `EventSource` stops.',
};

export interface InvoiceStatusDependencies {
  readonly invoices: Invoices;
  readonly clock: Clock;
  readonly waits: StatusWaits;
  readonly streams: Streams;
}

/** Returns the public address of an invoice's status. */
export function statusUrl(publicUrl: string, invoice: Invoice): string {
  return `${publicUrl}/v1/invoice-status/${statusToken(invoice)}`;
}

export function invoiceStatusRoutes(app: App, deps: InvoiceStatusDependencies): void {
  const { invoices, clock, waits } = deps;
  app.get('/v1/invoice-status/:token', { schema: getSchema, config: { isPublic: true } }, async (request, reply) => {
    const stateOf = (invoice: Invoice) => ({ transaction: ofInvoice(invoice, unixSeconds(clock)) });
    const invoice = await findByStatusToken(invoices, request.params.token);
    if (!invoice) throw new Refusal('not_found');
    const read = async () => {
      const found = await invoices.find(invoice.id);
      return found && stateOf(found);
    };
    const watched = { known: stateOf(invoice), name: 'public', read };
    if (wantsStream(request)) return stream(deps, request, reply, watched);
    const { wait } = request.query;
    return render((wait === undefined ? watched.known : await waits.wait(request, reply, wait, watched)).transaction);
  });
}

async function stream(
  { waits, streams }: InvoiceStatusDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  watched: Watched<ReadState>,
): Promise<FastifyReply> {
  const { transaction } = watched.known;
  // The last event of an earlier stream had this status, which is final.
  if (transaction.status !== 'pending' && request.headers['last-event-id'] === transaction.status) return reply.code(204).send();
  return streams.send(request, reply, { frames: (signal) => frames(waits, watched, signal) });
}

/** Yields the present state, and the state after each change until it is final. */
async function* frames(waits: StatusWaits, watched: Watched<ReadState>, signal: AbortSignal): AsyncGenerator<string> {
  let known: ReadState | undefined = watched.known;
  while (known) {
    const { transaction }: ReadState = known;
    yield `retry: ${RETRY_MS}\nid: ${transaction.status}\ndata: ${JSON.stringify(render(transaction))}\n\n`;
    known = transaction.status === 'pending' ? await waits.next({ ...watched, known }, signal) : undefined;
  }
}

function render({ status, amountMsat, expiresAt }: LightningTransaction): Static<typeof InvoiceStatusObject> {
  return { status, num_satoshis: floorSat(amountMsat), expires_at: expiresAt ?? null };
}
