import type { Database } from '../../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { parseJson } from '../../../core/kernel/json.ts';
import type { Log } from '../../../core/kernel/log.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { RowWrite } from '../../../core/ledger/ledger.ts';
import { type NostrCrypto, NostrCryptoBusy } from '../../../core/nostr/crypto-pool.ts';
import { type EventTemplate, type NostrEvent, publicKeyOf, readEvent } from '../../../core/nostr/event.ts';
import { deriveNostrKey } from '../../../core/nostr/keys.ts';
import { publishOnSocket } from '../../../core/nostr/publish.ts';
import { type Outbound, OutboundError } from '../../../core/outbound/outbound.ts';
import { readZapRequest, refused, relaysOf, type ZapRequest } from './zap-request.ts';
import * as sql from './zaps.sql.ts';

export interface ZapOptions {
  /** Whether the service offers zaps. */
  readonly hasZaps: boolean;
  readonly database: Database;
  /** The client for relays, which payers choose. */
  readonly outbound: Outbound;
  readonly nostrCrypto: NostrCrypto;
  /** The bytes of SECRET_KEY. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a link says about zaps: both or none. */
interface ZapOffer {
  readonly allowsNostr?: true;
  readonly nostrPubkey?: string;
}

const RECEIPT_KIND = 9735;
/** Tags that a receipt has from its request. */
const COPIED_TAGS: ReadonlySet<string> = new Set(['p', 'e', 'a', 'k']);
const RELAY_TIMEOUT_MS = 5000;
/** The waits after attempts, in seconds. After the last attempt, 56 minutes after the payment, the receipt is given up. */
const RETRY_SECONDS = [10, 60, 300, 900, 2100];
/** Each may be published to ten relays at once. */
const RECEIPTS_AT_ONCE = 20;

export type Zaps = ReturnType<typeof createZaps>;

/** Zaps (NIP-57): payments that a Nostr event requests, and whose receipt the service publishes. Receipts are hints: nothing is booked by them. */
export function createZaps(options: ZapOptions) {
  const { database, nostrCrypto, clock } = options;
  const secretKey = deriveNostrKey(options.secretKey, 'zap receipts');
  const serviceKey = publicKeyOf(secretKey);

  return {
    /** Returns the part of a response to step 1 of LUD-06. */
    offer: (): ZapOffer => (options.hasZaps ? { allowsNostr: true, nostrPubkey: serviceKey } : {}),

    /** Reads and verifies the zap request of a payer. @throws Refusal */
    async readRequest(text: string, amountMsat: number): Promise<ZapRequest> {
      if (!options.hasZaps) throw refused('must be left out: this service publishes no receipts of zaps');
      const request = readZapRequest(text, { amountMsat, serviceKey });
      if (!(await nostrCrypto.verify(request.event).catch(refuseIfBusy))) throw refused('must have a valid id and signature');
      return request;
    },

    /** Returns the row that makes the payment of an invoice publish a receipt. */
    rowOf: (invoiceId: string, { text }: ZapRequest): RowWrite => ({
      statement: sql.insertZap,
      parameters: [invoiceId, text],
      onMiss: () => new Error('a zap request was not stored'),
    }),

    /** Publishes the receipts that are due. A receipt always has the same id, so a relay that gets it twice has it once. */
    async publishReceipts(signal: AbortSignal): Promise<void> {
      for (;;) {
        const due = await database.all(sql.listDueReceipts, unixSeconds(clock), RECEIPTS_AT_ONCE);
        await Promise.all(due.map((receipt) => publishReceipt(options, receipt, secretKey, signal)));
        if (due.length < RECEIPTS_AT_ONCE || signal.aborted) return;
      }
    },
  };
}

function refuseIfBusy(error: unknown): never {
  throw error instanceof NostrCryptoBusy ? new Refusal('rate_limited', 'Too many zaps are requested right now. Try again shortly.') : error;
}

/** Publishes a receipt to the relays that do not have it, and stores the result. */
async function publishReceipt(options: ZapOptions, due: sql.DueReceipt, secretKey: Uint8Array, signal: AbortSignal): Promise<void> {
  const { database, nostrCrypto, clock, log } = options;
  const { invoice_id: invoice, attempts } = due;
  const request = readEvent(parseJson(due.request));
  const relays = request ? relaysOf(request) : [];
  const receipt = request && (await nostrCrypto.sign(receiptOf(due, request), secretKey));
  let done = due.done_relays;
  await Promise.all(
    relays.map(async (url, index) => {
      if (!receipt || (done & (1 << index)) !== 0) return;
      if (await publish(options, url, receipt, signal)) done |= 1 << index;
    }),
  );
  if (signal.aborted) return;
  const isDone = done === (1 << relays.length) - 1;
  const wait = RETRY_SECONDS[attempts];
  const dueAt = isDone || wait === undefined ? null : unixSeconds(clock) + wait;
  if (dueAt === null && !isDone) log.info({ invoice, attempts: attempts + 1 }, 'the receipt of a zap is given up at some of its relays');
  await database.transaction((tx) => tx.run(sql.storeAttempt, invoice, attempts, dueAt, done));
}

/** Returns the receipt of a paid zap. Its author, time and content are always the same, and so is its id. */
function receiptOf({ request, payment_request, settled_at }: sql.DueReceipt, { tags, pubkey }: NostrEvent): EventTemplate {
  const own = [
    ['P', pubkey],
    ['bolt11', payment_request],
    ['description', request],
  ];
  return {
    kind: RECEIPT_KIND,
    created_at: settled_at,
    content: '',
    tags: [...tags.filter(([name = '']) => COPIED_TAGS.has(name)), ...own],
  };
}

/** @returns whether the relay needs no further attempt: it has the receipt, or refuses it for good */
async function publish({ outbound }: ZapOptions, url: string, receipt: NostrEvent, signal: AbortSignal): Promise<boolean> {
  try {
    const { accepted, message } = await outbound.withSocket(url, { timeoutMs: RELAY_TIMEOUT_MS, signal }, (socket, ended) =>
      publishOnSocket(socket, new URL(url), receipt, ended),
    );
    return accepted || !/^(rate-limited|error):/.test(message);
  } catch (error) {
    if (error instanceof OutboundError) return error.reason === 'invalid_url';
    throw error;
  }
}
