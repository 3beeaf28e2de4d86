import { createHash, randomBytes } from 'node:crypto';
import type { OutsideName, OutsidePayment, PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import type { LndInvoice } from '../../../src/core/lightning/lnd/invoices.ts';
import type { PaymentRecord } from '../../../src/core/lightning/lnd/payment-record.ts';
import type { RegtestNetwork } from './regtest.ts';
import { type RegtestLnd, until } from './regtest-lnd.ts';

/** A point of the curve that no node has as its key. */
const UNREACHABLE = `02${'11'.repeat(32)}`;
/** How long a payment is waited for. Held ones are reported as pending then. */
const WAIT_MS = 20_000;

/** The settings of a service on the hub of a network that holds no keysends. `key`: its secret API key. */
export async function hubSettings(hub: RegtestLnd, own: Record<string, string>, key: string): Promise<Record<string, string>> {
  return {
    ...own,
    LIGHTNING_URL: hub.url(await hub.bakeMacaroon(false), ''),
    BOOTSTRAP_SECRET_KEY: key,
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_SECOND: '0',
  };
}

/** Controls alice and carol of a regtest network, as tests control those of a playground. */
export function regtestControl(network: RegtestNetwork): PlaygroundControl {
  const preimages = new Map<string, { readonly preimage: string; readonly at: OutsideName }>();
  const nodeOf = (name: OutsideName): RegtestLnd => network[name];

  async function send(from: OutsideName, body: object): Promise<OutsidePayment> {
    const signal = AbortSignal.timeout(WAIT_MS);
    const request = { ...body, timeout_seconds: 60, fee_limit_msat: '1000000' };
    let latest: PaymentRecord | undefined;
    for await (const record of nodeOf(from).stream<PaymentRecord>('POST', '/v2/router/send', request, signal)) {
      latest = record;
      if (record.status === 'SUCCEEDED' || record.status === 'FAILED') break;
    }
    if (!latest) throw new Error(`${from} did not begin to pay`);
    return sentPayment(from, latest);
  }

  return {
    async describe() {
      const nodes = network.nodes.map(({ name, pubkey }) => ({ name: name as 'hub' | OutsideName, pubkey }));
      return { network: 'regtest', nodes, unreachablePubkey: UNREACHABLE };
    },
    payInvoice: ({ paymentRequest, from, amountMsat }) =>
      send(from, { payment_request: paymentRequest, ...(amountMsat !== undefined && { amt_msat: String(amountMsat) }) }),
    async createInvoice({ amountMsat, memo, at, expirySeconds, hold }) {
      const preimage = randomBytes(32);
      const hash = createHash('sha256').update(preimage).digest();
      const paymentHash = hash.toString('hex');
      preimages.set(paymentHash, { preimage: preimage.toString('base64'), at });
      const secret = hold ? { hash: hash.toString('base64') } : { r_preimage: preimage.toString('base64') };
      const amount = amountMsat === undefined ? {} : { value_msat: String(amountMsat) };
      // LND takes 0 as 24 hours.
      const body = { ...secret, ...amount, memo, expiry: String(Math.max(1, expirySeconds)) };
      const path = hold ? '/v2/invoices/hodl' : '/v1/invoices';
      const { payment_request } = await nodeOf(at).call<{ payment_request: string }>('POST', path, body);
      return { paymentRequest: payment_request, paymentHash };
    },
    keysend({ from, amountMsat, customRecords }) {
      const preimage = randomBytes(32);
      const records = Object.entries(customRecords).map(([type, hex]) => [type, Buffer.from(hex, 'hex').toString('base64')]);
      return send(from, {
        dest: Buffer.from(network.hub.pubkey, 'hex').toString('base64'),
        amt_msat: String(amountMsat),
        payment_hash: createHash('sha256').update(preimage).digest('base64'),
        dest_custom_records: { ...Object.fromEntries(records), '5482373484': preimage.toString('base64') },
      });
    },
    async payments(after, limit) {
      const all = (await Promise.all((['alice', 'carol'] as const).map((name) => paymentsOf(name, nodeOf(name))))).flat();
      return all.map((payment, i) => ({ ...payment, id: i + 1 })).filter(({ id }) => id > after && id <= after + limit);
    },
    async resolveHold(paymentHash, action) {
      const held = preimages.get(paymentHash);
      if (!held) throw new Error(`no invoice with the payment hash ${paymentHash} is held`);
      const node = nodeOf(held.at);
      if (action === 'cancel') {
        await node.call('POST', '/v2/invoices/cancel', { payment_hash: Buffer.from(paymentHash, 'hex').toString('base64') });
        return;
      }
      const isAccepted = async () => (await node.call<LndInvoice>('GET', `/v1/invoice/${paymentHash}`)).state === 'ACCEPTED';
      await until(`${held.at} holds the payment`, isAccepted);
      await node.call('POST', '/v2/invoices/settle', { preimage: held.preimage });
    },
  };
}

async function paymentsOf(name: OutsideName, node: RegtestLnd): Promise<OutsidePayment[]> {
  const { invoices } = await node.call<{ invoices: LndInvoice[] }>('GET', '/v1/invoices?num_max_invoices=10000');
  const { payments } = await node.call<{ payments: PaymentRecord[] }>('GET', '/v1/payments?include_incomplete=true&max_payments=10000');
  const received = invoices.filter((invoice) => invoice.state === 'SETTLED');
  return [...received.map((invoice) => receivedPayment(name, invoice)), ...payments.map((record) => sentPayment(name, record))];
}

function receivedPayment(node: OutsideName, invoice: LndInvoice): OutsidePayment {
  const paymentHash = Buffer.from(invoice.r_hash, 'base64').toString('hex');
  const amountMsat = msat(Number(invoice.amt_paid_msat));
  return { id: 0, node, direction: 'received', paymentHash, amountMsat, feeMsat: msat(0), state: 'succeeded' };
}

function sentPayment(node: OutsideName, record: PaymentRecord & { readonly value_msat?: string }): OutsidePayment {
  const state = ({ SUCCEEDED: 'succeeded', FAILED: 'failed' } as const)[record.status as 'SUCCEEDED' | 'FAILED'] ?? 'pending';
  const [amountMsat, feeMsat] = [msat(Number(record.value_msat ?? 0)), msat(Number(record.fee_msat))];
  return { id: 0, node, direction: 'sent', paymentHash: record.payment_hash, amountMsat, feeMsat, state };
}
