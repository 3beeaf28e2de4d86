import { setTimeout as delay } from 'node:timers/promises';
import { type OutsideName, type OutsidePayment, type PlaygroundControl, PlaygroundRefusal } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import type { InvoiceRecord, SendpayRow } from '../../../src/core/lightning/cln/rpc.ts';
import type { Regtest, RegtestNode } from './regtest.ts';

/** A public key that no node has. */
const UNREACHABLE = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
/** How long a payment of an outside node is waited for. */
const PAY_MS = 10_000;

/** Controls the nodes outside: `alice` is `ext`, `carol` is `far`. */
export function regtestControl({ nodes }: Regtest): PlaygroundControl {
  const outside: Record<OutsideName, RegtestNode> = { alice: nodes.ext, carol: nodes.far };
  const ids = new Map<string, number>();
  const atNode = new Map<string, RegtestNode>();

  const numbered = (payment: Omit<OutsidePayment, 'id'>): OutsidePayment => {
    const key = `${payment.node} ${payment.direction} ${payment.paymentHash}`;
    const id = ids.get(key) ?? ids.size + 1;
    ids.set(key, id);
    return { id, ...payment };
  };

  async function paymentsOf(node: OutsideName): Promise<OutsidePayment[]> {
    const { invoices } = await outside[node].rpc<{ invoices: InvoiceRecord[] }>('listinvoices');
    const { payments } = await outside[node].rpc<{ payments: SendpayRow[] }>('listsendpays');
    const received = invoices
      .filter(({ status }) => status === 'paid')
      .map((invoice) => {
        const amountMsat = msat(invoice.amount_received_msat ?? 0);
        return numbered({
          node,
          direction: 'received',
          paymentHash: invoice.payment_hash,
          amountMsat,
          feeMsat: msat(0),
          state: 'succeeded',
        });
      });
    return [...received, ...payments.map((row) => numbered(sent(node, row)))];
  }

  return {
    async describe() {
      const idOf = async (node: RegtestNode) => (await node.rpc<{ id: string }>('getinfo')).id;
      const [hub, alice, carol] = await Promise.all([nodes.svc, nodes.ext, nodes.far].map(idOf));
      const named = { hub, alice, carol };
      return {
        network: 'regtest',
        nodes: Object.entries(named).map(([name, pubkey]) => ({ name: name as OutsideName | 'hub', pubkey: pubkey ?? '' })),
        unreachablePubkey: UNREACHABLE,
      };
    },
    async payInvoice({ paymentRequest, from, amountMsat }) {
      const invoice = decodeBolt11(paymentRequest);
      const amount = invoice.amountMsat === undefined ? { amount_msat: amountMsat } : {};
      // After a failure, xpay does not use the channel for an hour. In these networks it failed because the other side was restarted.
      await outside[from].rpc('askrene-age', { layer: 'xpay', cutoff: Math.ceil(Date.now() / 1000) + 1 });
      const paying = outside[from].rpc('xpay', { invstring: paymentRequest, ...amount, retry_for: 5 }, 600_000).catch(() => undefined);
      await Promise.race([paying, delay(PAY_MS)]);
      const rows = (await paymentsOf(from)).filter(
        ({ direction, paymentHash }) => direction === 'sent' && paymentHash === invoice.paymentHash,
      );
      const failed = {
        node: from,
        direction: 'sent',
        paymentHash: invoice.paymentHash,
        amountMsat: msat(0),
        feeMsat: msat(0),
        state: 'failed',
      } as const;
      return (
        rows.find(({ state }) => state === 'succeeded') ?? rows.find(({ state }) => state === 'pending') ?? rows[0] ?? numbered(failed)
      );
    },
    async createInvoice({ amountMsat, memo, at, expirySeconds, hold }) {
      const request = { amount_msat: amountMsat ?? 'any', label: crypto.randomUUID(), description: memo, expiry: expirySeconds };
      const { bolt11, payment_hash: paymentHash } = await outside[at].rpc<{ bolt11: string; payment_hash: string }>('invoice', request);
      atNode.set(paymentHash, outside[at]);
      if (hold) await outside[at].rpc('holdhash', { a: paymentHash });
      return { paymentRequest: bolt11, paymentHash };
    },
    async keysend() {
      throw new PlaygroundRefusal('this network sends no keysends');
    },
    async payments(after, limit) {
      const all = [...(await paymentsOf('alice')), ...(await paymentsOf('carol'))];
      return all.filter(({ id }) => id > after).slice(0, limit);
    },
    async resolveHold(paymentHash, action) {
      await atNode.get(paymentHash)?.rpc('releasehash', { a: paymentHash, b: action });
    },
  };
}

function sent(node: OutsideName, row: SendpayRow): Omit<OutsidePayment, 'id'> {
  const state = row.status === 'complete' ? 'succeeded' : row.status;
  const feeMsat = msat(row.amount_sent_msat - (row.amount_msat ?? row.amount_sent_msat));
  return { node, direction: 'sent', paymentHash: row.payment_hash, amountMsat: msat(row.amount_msat ?? 0), feeMsat, state };
}
