import { api, type DecodedInvoice, isLoggedOut, type ProbedPayLink, type ProbedWithdrawLink, SatchelError } from '../../api/client.ts';
import { money } from '../../texts/en-money.ts';
import { textOfError } from '../../texts/texts.ts';
import type { Destination } from './destination.ts';

/** What a destination accepts, as the service has read it. */
export type Offer =
  | { readonly kind: 'invoice'; readonly text: string; readonly invoice: DecodedInvoice }
  | { readonly kind: 'link'; readonly text: string; readonly isAddress: boolean; readonly link: ProbedPayLink }
  | { readonly kind: 'withdraw'; readonly text: string; readonly link: ProbedWithdrawLink }
  | { readonly kind: 'node'; readonly text: string }
  /** It cannot be paid; `reason` is for people. Nothing was sent. */
  | { readonly kind: 'unusable'; readonly reason: string };

/** What a withdraw link pays out. */
export type WithdrawOffer = Extract<Offer, { kind: 'withdraw' }>;

/** Reads a destination. Throws only if the service did not answer. */
export async function readOffer(destination: Destination, walletId: string, signal: AbortSignal): Promise<Offer | undefined> {
  switch (destination.kind) {
    case 'empty':
      return undefined;
    case 'unusable':
      return { kind: 'unusable', reason: money.send.unusable[destination.reason] };
    case 'node':
      return { kind: 'node', text: destination.text };
    case 'invoice':
      return orReason(() => readInvoice(destination.text, walletId, signal));
    case 'address':
      return orReason(() => probe(destination.text, true, signal));
    case 'lnurl':
      return orReason(() => probes[destination.linkKind](destination.text, signal));
  }
}

async function readInvoice(text: string, walletId: string, signal: AbortSignal): Promise<Offer> {
  const invoice = await api.nodes.decodeInvoice('default', { payment_request: text }, { signal });
  const reason = await whyNot(invoice, walletId, signal);
  return reason === undefined ? { kind: 'invoice', text, invoice } : { kind: 'unusable', reason };
}

/** Says why an invoice cannot be paid: this wallet has paid it, it is the wallet's own, or it has expired. */
async function whyNot(invoice: DecodedInvoice, walletId: string, signal: AbortSignal): Promise<string | undefined> {
  const filter = { payment_hash: invoice.payment_hash, fields: 'status,num_msat' };
  const [all, open] = await Promise.all([
    api.wallets.listTransactions(walletId, { ...filter, status: 'all' }, { signal }),
    api.wallets.listTransactions(walletId, { ...filter, status: 'open' }, { signal }),
  ]);
  const sent = all.filter(({ num_msat = 0 }) => num_msat < 0);
  if (sent.some(({ status }) => status === 'settled')) return money.send.alreadyPaid;
  if (sent.some(({ status }) => status === 'pending')) return money.send.alreadyPending;
  if (open.length > 0 || all.some(({ num_msat = 0 }) => num_msat > 0)) return money.send.ownInvoice;
  return Number(invoice.timestamp) + Number(invoice.expiry) <= Date.now() / 1000 ? money.send.invoiceExpired : undefined;
}

async function probe(text: string, isAddress: boolean, signal: AbortSignal): Promise<Offer> {
  return { kind: 'link', text, isAddress, link: await api.payLinks.probe(text, {}, { signal }) };
}

async function probeWithdrawal(text: string, signal: AbortSignal): Promise<Offer> {
  return { kind: 'withdraw', text, link: await api.withdrawLinks.probe({ lnurl: text }, { signal }) };
}

const probes = { pay: (text: string, signal: AbortSignal) => probe(text, false, signal), withdraw: probeWithdrawal, unknown: probeUnknown };

/** The kind of an LNURL is not visible in it. A withdraw link must not be in a URL, so an LNURL is first probed as a withdraw link. */
async function probeUnknown(text: string, signal: AbortSignal): Promise<Offer> {
  try {
    return await probeWithdrawal(text, signal);
  } catch (error) {
    if (error instanceof SatchelError && error.type === 'lnurl_invalid' && /pay link, not a withdraw link/.test(error.message))
      return probe(text, false, signal);
    throw error;
  }
}

async function orReason(read: () => Promise<Offer>): Promise<Offer> {
  try {
    return await read();
  } catch (error) {
    const isAnswer = error instanceof SatchelError && error.status < 500 && error.status !== 429 && !isLoggedOut(error);
    if (!isAnswer) throw error;
    return { kind: 'unusable', reason: error.type === 'invoice_undecodable' ? money.send.damaged : textOfError(error) };
  }
}
