import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { hmacSha256 } from '../../core/kernel/crypto.ts';
import { ID_LENGTH } from '../../core/kernel/ids.ts';
import { requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { WaitQuery } from '../../http/fields.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { namedObject } from '../../http/responses/response-types.ts';
import type { ReadState, StatusWaits, Watched } from '../events/status-waits.ts';
import { RETRY_MS, type Streams, wantsStream } from '../events/streams.ts';
import { isFinalStatus, type LightningTransaction, LightningTransactionObject } from '../transactions/lightning-transaction-object.ts';
import type { Objects } from '../transactions/objects.ts';

const PREFIX = 'lntx_';
/** A token of the status does not open the page, which shows more. */
const DOMAINS = { status: 'satchel invoice status 1', page: 'satchel invoice page 1' } as const;
const MAC_BYTES = 16;
const TOKEN = new RegExp(`^([0-9A-Za-z]{${ID_LENGTH}})([0-9a-f]{${2 * MAC_BYTES}})$`);

const { status, num_satoshis, num_msat, expires_at } = LightningTransactionObject.properties;

const InvoiceStatusObject = namedObject('InvoiceStatus', { status, num_satoshis, num_msat, expires_at });

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

interface InvoiceStatusContext {
  readonly invoices: Invoices;
  readonly objects: Objects;
  readonly waits: StatusWaits;
  readonly streams: Streams;
}

/** Returns the public address of an invoice's status. */
export function statusUrl(publicUrl: string, invoice: Invoice): string {
  return `${publicUrl}/v1/invoice-status/${invoiceToken(invoice, 'status')}`;
}

/** Returns the URL of the page of an invoice for its payer. */
export function invoicePageUrl(publicUrl: string, invoice: Invoice): string {
  return `${publicUrl}/i/${invoiceToken(invoice, 'page')}`;
}

export function invoiceStatusRoutes(app: App, context: InvoiceStatusContext): void {
  const { invoices, objects, waits } = context;
  app.get('/v1/invoice-status/:token', { schema: getSchema, config: { isPublic: true } }, async (request, reply) => {
    const invoice = requireFound(await findByInvoiceToken(invoices, request.params.token, 'status'));
    const known = { transaction: objects.invoice(invoice) };
    const read = async () => {
      const found = await invoices.find(invoice.id);
      return found && { transaction: objects.invoice(found) };
    };
    const watched = { known, name: 'public', read };
    if (wantsStream(request)) return stream(context, request, reply, watched);
    const { wait } = request.query;
    return visible(wait === undefined ? known : await waits.wait(request, reply, wait, watched));
  });
}

async function stream(
  { waits, streams }: InvoiceStatusContext,
  request: FastifyRequest,
  reply: FastifyReply,
  watched: Watched<ReadState>,
): Promise<FastifyReply> {
  const { status } = watched.known.transaction;
  // The last event of an earlier stream had this status, which is final.
  if (isFinalStatus(status) && request.headers['last-event-id'] === status) return reply.code(204).send();
  return streams.send(request, reply, { frames: (signal) => frames(waits, watched, signal) });
}

/** Yields the present state, and the state after each change until it is final. */
async function* frames(waits: StatusWaits, watched: Watched<ReadState>, signal: AbortSignal): AsyncGenerator<string> {
  let known: ReadState | undefined = watched.known;
  while (known) {
    const { status }: LightningTransaction = known.transaction;
    yield `retry: ${RETRY_MS}\nid: ${status}\ndata: ${JSON.stringify(visible(known))}\n\n`;
    known = isFinalStatus(status) ? undefined : await waits.next({ ...watched, known }, signal);
  }
}

/** Returns the only fields that anyone may read. */
function visible({ transaction: { status, num_satoshis, num_msat, expires_at } }: ReadState): Static<typeof InvoiceStatusObject> {
  return { status, num_satoshis, num_msat, expires_at };
}

/** What a token is for. */
type TokenUse = keyof typeof DOMAINS;

type StatusKeys = Pick<Invoice, 'preimage' | 'statusKey'>;

/** The wallet chose the preimage of a hold invoice, so that has a key of its own. */
function keyOf({ preimage, statusKey }: StatusKeys): string | undefined {
  return statusKey ?? preimage;
}

/**
 * Returns the token by which anyone may read the status or the page of an invoice: its id, and a MAC whose key is the preimage. The preimage is unknown
 * to everyone until the payment, and the MAC does not reveal it. So tokens need no secret of their own, except those of hold invoices.
 */
export function invoiceToken(invoice: StatusKeys & { readonly id: string }, use: TokenUse): string {
  return `${invoice.id.slice(PREFIX.length)}${mac(keyOf(invoice) ?? '', use).toString('hex')}`;
}

/** Finds the invoice of a token. */
export async function findByInvoiceToken(invoices: Invoices, token: string, use: TokenUse): Promise<Invoice | undefined> {
  const [, id, sent] = TOKEN.exec(token) ?? [];
  if (id === undefined || sent === undefined) return undefined;
  const invoice = await invoices.find(`${PREFIX}${id}`);
  const key = invoice && keyOf(invoice);
  // The preimage of a keysend is the payer's.
  if (!invoice || key === undefined || invoice.isKeysend) return undefined;
  return timingSafeEqual(mac(key, use), Buffer.from(sent, 'hex')) ? invoice : undefined;
}

function mac(preimage: string, use: TokenUse): Buffer {
  return hmacSha256(Buffer.from(preimage, 'hex'), DOMAINS[use]).subarray(0, MAC_BYTES);
}
