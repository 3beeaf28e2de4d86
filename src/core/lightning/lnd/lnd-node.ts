import type { Log } from '../../kernel/log.ts';
import type { IncomingGuard, LightningNode, NodeInfo } from '../node.ts';
import { untilAborted } from '../streams.ts';
import { channelBalance, closedChannels, listNodeChannels } from './channels.ts';
import { LND_TIMING, type LndTiming } from './context.ts';
import { readCredentials } from './credentials.ts';
import { knowsPosition, newestSettlement, watchEndedPayments, watchSettlements } from './events.ts';
import { collectEvidence } from './evidence.ts';
import { settlementFinality } from './finality.ts';
import { findHoldInvoice, hasHtlcOf, listHeldPayments } from './holds.ts';
import { HtlcEvents } from './htlc-events.ts';
import { readInfo, toNodeInfo } from './info.ts';
import { cancelInvoice, createHoldInvoice, createInvoice, lookupInvoice, settleHoldInvoice } from './invoices.ts';
import { guardKeysends } from './keysends.ts';
import { LndPayments } from './payments.ts';
import { permitsHoldInvoices, reportPermissions } from './permissions.ts';
import { readSentPayments, readSettlements } from './records.ts';
import { queryRoutes } from './routes.ts';
import { LndTransport } from './transport.ts';
import { type LndAddress, parseLndUrl } from './url.ts';

export interface LndOptions {
  /** `lnd+rest://…` or `lndconnect://…` */
  readonly url: string;
  readonly log: Log;
  /** Shorter in tests. */
  readonly timing?: Partial<LndTiming>;
}

/**
 * Opens an LND node over its REST interface. Opening never waits: calls throw NodeUnavailable while the node cannot be reached.
 * @throws InvalidLndUrl
 */
export function openLnd({ url, log, timing }: LndOptions): LightningNode {
  const address = parseLndUrl(url);
  const transport = new LndTransport(address);
  const context = { transport, timing: { ...LND_TIMING, ...timing }, log };
  const payments = new LndPayments(context);
  const closing = new AbortController();
  const htlcEvents = new HtlcEvents(context);
  let latestGuard: IncomingGuard;
  let guarding: Promise<void> | undefined;
  let pubkey: string | undefined;
  const untilClosed = <T>(signal: AbortSignal, stream: (until: AbortSignal) => AsyncIterable<T>) => {
    const until = AbortSignal.any([signal, closing.signal]);
    return untilAborted(until, stream(until));
  };
  return {
    lateRequestMs: context.timing.graceMs,
    info: () => describeNode(transport, address),
    createInvoice: (request) => createInvoice(transport, request, address.hopHints),
    createHoldInvoice: (request) => createHoldInvoice(transport, request, address.hopHints),
    settleHoldInvoice: (preimage) => settleHoldInvoice(transport, preimage),
    findHoldInvoice: (paymentHash) => findHoldInvoice(transport, paymentHash),
    listHeldPayments: () => listHeldPayments(transport),
    hasHtlcOf: (paymentHash) => hasHtlcOf(transport, paymentHash),
    cancelInvoice: (paymentHash) => cancelInvoice(transport, paymentHash),
    pay: (order) => payments.pay(order),
    keysend: (order) => payments.keysend(order),
    unclearSince: (reference) => payments.unclearSince(reference),
    lookupPayment: (reference) => payments.lookup(reference),
    lookupInvoice: (paymentHash) => lookupInvoice(transport, paymentHash),
    async settlementFinality(settlement, waitMs) {
      await htlcEvents.begin(closing.signal, 0);
      return settlementFinality(context, htlcEvents, settlement, waitMs);
    },
    guardIncoming(guard) {
      // LND claims all other incoming payments without a decision.
      if (address.holdsKeysends) guarding ??= guardKeysends(context, (incoming) => latestGuard(incoming), closing.signal);
      latestGuard = guard;
    },
    watch: (position, signal) =>
      // The resolution of an HTLC may follow its settlement at once.
      untilClosed(signal, (until) =>
        watchSettlements(context, position, until, () => htlcEvents.begin(closing.signal, context.timing.answerMs)),
      ),
    watchPayments: (signal) => untilClosed(signal, (until) => watchEndedPayments(context, until)),
    readSentPayments: (query) => readSentPayments(transport, query),
    readSettlements: (query) => readSettlements(transport, query),
    newestSettlement: () => newestSettlement(transport),
    knowsPosition: (position) => knowsPosition(transport, position),
    async collectEvidence(payment) {
      // A request that ends meanwhile has left its record.
      const maySend = payments.maySend(payment);
      return collectEvidence(transport, payment, { record: await payments.findRecord(payment), maySend });
    },
    async queryRoutes(query) {
      pubkey ??= (await readInfo(transport)).info.identity_pubkey;
      return queryRoutes(transport, query, pubkey);
    },
    listChannels: () => listNodeChannels(transport),
    balance: () => channelBalance(transport),
    closedChannels: (ids) => closedChannels(transport, ids),
    async checkCredential() {
      const { macaroon } = await readCredentials(address);
      return reportPermissions(Buffer.from(macaroon, 'hex'), address.holdsKeysends);
    },
    async close() {
      closing.abort();
      transport.close();
      await guarding;
      await htlcEvents.end();
    },
  };
}

async function describeNode(transport: LndTransport, address: LndAddress): Promise<NodeInfo> {
  const [{ info, cannotSend }, { macaroon }] = await Promise.all([readInfo(transport), readCredentials(address)]);
  return { ...toNodeInfo(info, address, permitsHoldInvoices(Buffer.from(macaroon, 'hex'))), cannotSend };
}
