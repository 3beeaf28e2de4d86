import { hkdfSync } from 'node:crypto';
import { TOO_MANY_REQUESTED } from '../../../core/invoices/create.ts';
import type { Invoice } from '../../../core/invoices/invoice.ts';
import { unixSeconds } from '../../../core/kernel/clock.ts';
import { hmacSha256 } from '../../../core/kernel/crypto.ts';
import { limitEntries } from '../../../core/kernel/limit-entries.ts';
import { Refusal, type RefusalType } from '../../../core/kernel/refusal.ts';
import { NodeUnavailable } from '../../../core/lightning/node.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import { networksOf } from '../../../http/limits/addresses.ts';
import * as sql from './pay-links.sql.ts';
import type { PayLinkOptions } from './pay-links.ts';

/** How long an invoice of a link can be paid. Until then it counts against the limit of its wallet. */
const EXPIRY_SECONDS = 600;
/** The same while more than half of the limit is used. */
const CROWDED_EXPIRY_SECONDS = 120;
/** Invoices that are being paid cannot be cancelled, and other requests may take the slot of one that was. */
const MAX_TRIES = 4;
const HASH_BYTES = 4;
const MAX_UNCLEAR = 10_000;

/** The invoices that payers requested of one wallet. */
export type PayerLimits = ReturnType<typeof createPayerLimits>;

/**
 * Keeps the open invoices that payers requested of a wallet below their limit, without keeping further payers from paying: when
 * the limit is reached, the oldest unpaid invoice of the network that requested most is cancelled.
 */
export function createPayerLimits({ database, invoices, clock, maxOpenInvoices, secretKey }: PayLinkOptions) {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, new Uint8Array(), 'satchel payer networks', 32));

  /** Returns a short keyed hash of each network of an address, the largest first. The addresses of payers are not stored. */
  function payerNetworks(ip: string): string {
    const hashes = networksOf(ip).map((network) => hmacSha256(key, network).subarray(0, HASH_BYTES));
    return hashes.map((hash) => hash.toString('hex')).join(' ');
  }

  /** The invoices whose cancellation the node did not confirm. They are tried last, so that they do not keep a link full until they expire. */
  const unclear = new Map<string, string>();

  /** Frees a slot for one more invoice of the wallet, if none is free. Returns how long it can be paid. @throws Refusal `too_many_invoices`, NodeUnavailable */
  async function freeSlot({ ledgerAccount }: Wallet): Promise<number> {
    const open = await database.first(sql.countOpenOfPayers, ledgerAccount, unixSeconds(clock), maxOpenInvoices);
    const count = open?.n ?? 0;
    if (count < maxOpenInvoices) return count * 2 < maxOpenInvoices ? EXPIRY_SECONDS : CROWDED_EXPIRY_SECONDS;
    const all = await database.all(sql.listOpenOfPayers, ledgerAccount, unixSeconds(clock), 2 * maxOpenInvoices);
    const inOrder = inOrderOfCancellation(all);
    const clearFirst = [...inOrder.filter((id) => !unclear.has(id)), ...inOrder.filter((id) => unclear.has(id))];
    let failed: NodeUnavailable | undefined;
    for (const id of clearFirst.slice(0, MAX_TRIES)) {
      const invoice = await invoices.find(id);
      try {
        if (invoice && (await succeedsUnless('invoice_paid', () => invoices.cancel(invoice, [])))) return CROWDED_EXPIRY_SECONDS;
      } catch (error) {
        if (!(error instanceof NodeUnavailable)) throw error;
        unclear.set(id, id);
        limitEntries(unclear, MAX_UNCLEAR);
        // A node that does not answer at all must not delay the payer many times.
        if (failed) throw error;
        failed = error;
      }
    }
    throw failed ?? new Refusal('too_many_invoices', TOO_MANY_REQUESTED);
  }

  return {
    payerNetworks,

    /**
     * Creates an invoice in a free slot. Other requests may take that slot first.
     * @throws Refusal `too_many_invoices` if too many are being paid or requested at once; NodeUnavailable
     */
    async createInSlot(wallet: Wallet, create: (expirySeconds: number) => Promise<Invoice>): Promise<Invoice> {
      for (let tries = 1; tries < MAX_TRIES; tries++) {
        const expirySeconds = await freeSlot(wallet);
        const created = await succeedsUnless('too_many_invoices', () => create(expirySeconds));
        if (created) return created;
      }
      return create(await freeSlot(wallet));
    },
  };
}

/** Returns the result of work; undefined if it fails with a refusal of this type. */
async function succeedsUnless<T>(type: RefusalType, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.type === type) return undefined;
    throw error;
  }
}

interface OpenOfPayer {
  readonly id: string;
  readonly payer_networks: string;
}

/**
 * Returns the ids of invoices, sorted by id, in the order in which they are cancelled: those of the largest network with most invoices, and in it of
 * the smaller network with most, the oldest first; then the rest, the oldest first. Of networks with equally many, the one with the oldest invoice is taken.
 */
export function inOrderOfCancellation(open: readonly OpenOfPayer[]): string[] {
  let chosen = open;
  for (let level = 0; chosen.some(({ payer_networks }) => payer_networks.split(' ').length > level); level++) {
    const groups = [...Map.groupBy(chosen, ({ payer_networks }) => payer_networks.split(' ')[level])];
    chosen = groups.reduce((most, group) => (group[1].length > most[1].length ? group : most))[1];
  }
  return [...new Set([...chosen, ...open].map(({ id }) => id))];
}
