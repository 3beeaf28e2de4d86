import type { Msat } from '../../../src/core/kernel/money.ts';
import { METADATA_HASH, RemoteService } from '../../lnurl/payee.ts';
import type { HttpResponse, Json, TestWallet } from '../../support/client.ts';
import type { Lane } from './lane.ts';

/** A prepared operation. */
export interface Attempt {
  /** Requests it. @returns the response, if it has one. May throw when the service is killed. */
  request(): Promise<HttpResponse | undefined>;
  /** The payment hash, if it is known in advance. */
  readonly paymentHash?: string;
  readonly amountMsat: number;
}

export interface Operation {
  readonly name: string;
  /** The movement of money: `out` of the first wallet, `in` to the second, `inside` from the first to the second, `none`. */
  readonly moves: 'out' | 'in' | 'inside' | 'none';
  /** The outcome if the service has started it. */
  readonly ends: 'paid' | 'failed';
  /** The initiator. A request of a client may be lost without any effect; an outside payer retries until the outcome is known. */
  readonly startedBy: 'service' | 'outside';
  /** For a hold invoice: the decision of its receiver once it is paid. */
  readonly hold?: 'settle' | 'cancel';
  /** Whether the node reports the payment before it can prove it. */
  readonly isFinalLater?: boolean;
  prepare(lane: Lane, wallets: Wallets, numSatoshis: number): Promise<Attempt>;
}

export interface Wallets {
  readonly payer: TestWallet;
  readonly receiver: TestWallet;
}

function request(lane: Lane, path: string, json: Json): Promise<HttpResponse> {
  return lane.client.request('POST', path, { key: lane.client.secretKey, json });
}

const msatOf = (numSatoshis: number): Msat => (numSatoshis * 1000) as Msat;

function withdrawal(
  name: string,
  ends: 'paid' | 'failed',
  { hold, feeLimitMsat }: { hold?: 'settle' | 'cancel'; feeLimitMsat?: number } = {},
): Operation {
  return {
    name,
    moves: 'out',
    ends,
    startedBy: 'service',
    ...(hold && { hold }),
    async prepare(lane, { payer }, numSatoshis) {
      const amountMsat = msatOf(numSatoshis);
      // The node is behind alice, so that there is a routing fee.
      const made = await lane.outside.createInvoice({ amountMsat, memo: '', at: 'carol', expirySeconds: 3600, hold: hold !== undefined });
      const body = { payment_request: made.paymentRequest, ...(feeLimitMsat !== undefined && { fee_limit_msat: feeLimitMsat }) };
      return { amountMsat, paymentHash: made.paymentHash, request: () => request(lane, `/v1/wallet/${payer.id}/withdraw`, body) };
    },
  };
}

/** A service whose links the operations pay. Each database has an invoice of its own. */
const payee = RemoteService.ofSuite();
const payeeInvoices = new Map<string, string>();
payee.parameters = ({ url = '' }) => payee.payParameters({ callback: `${payee.url}/cb${url.slice(url.indexOf('?'))}` });
payee.callback = (query) => ({ pr: payeeInvoices.get(query.get('of') ?? '') });

const lnurlPayment: Operation = {
  name: 'payment of a link of another service',
  moves: 'out',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { payer }, numSatoshis) {
    const amountMsat = msatOf(numSatoshis);
    const order = { amountMsat, memo: '', descriptionHash: METADATA_HASH, expirySeconds: 3600, hold: false };
    const made = await lane.outside.createInvoice({ ...order, at: 'carol' });
    payeeInvoices.set(lane.dialect, made.paymentRequest);
    const body = { lnurlpay_encoded: `lnurlp://${payee.host}/link?of=${lane.dialect}`, amt_msat: amountMsat };
    return { amountMsat, paymentHash: made.paymentHash, request: () => request(lane, `/v1/wallet/${payer.id}/lnurlp/pay`, body) };
  },
};

const keysend: Operation = {
  name: 'keysend',
  moves: 'out',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { payer }, num_satoshis) {
    const carol = (await lane.outside.describe()).nodes.find(({ name }) => name === 'carol');
    const body = { dest_pubkey: carol?.pubkey, num_satoshis };
    return { amountMsat: msatOf(num_satoshis), request: () => request(lane, `/v1/wallet/${payer.id}/keysend`, body) };
  },
};

const insidePayment: Operation = {
  name: 'payment to a local invoice',
  moves: 'inside',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { payer, receiver }, num_satoshis) {
    const { payment_request, r_hash_decoded } = await lane.client.post(`/v1/wallet/${receiver.id}/invoice`, { num_satoshis });
    return {
      amountMsat: msatOf(num_satoshis),
      paymentHash: r_hash_decoded,
      request: () => request(lane, `/v1/wallet/${payer.id}/withdraw`, { payment_request }),
    };
  },
};

const transfer: Operation = {
  name: 'transfer',
  moves: 'inside',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { payer, receiver }, num_satoshis) {
    const body = { dest_wallet_id: receiver.id, num_satoshis };
    return { amountMsat: msatOf(num_satoshis), request: () => request(lane, `/v1/wallet/${payer.id}/transfer`, body) };
  },
};

const lnurlWithdrawal: Operation = {
  name: 'claim of a withdraw link',
  moves: 'out',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { payer }, num_satoshis) {
    const amountMsat = msatOf(num_satoshis);
    const link = await lane.client.post(`/v1/wallet/${payer.id}/lnurl/withdraw`, { num_satoshis });
    const made = await lane.outside.createInvoice({ amountMsat, memo: '', at: 'carol', expirySeconds: 3600, hold: false });
    return {
      amountMsat,
      paymentHash: made.paymentHash,
      async request() {
        const response = await fetch(`${link.url}&pr=${made.paymentRequest}`);
        const body: Json = await response.json();
        // LUD-03 responds before the payment has ended, so an accepted claim is like a 202.
        return { status: body.status === 'OK' ? 202 : 400, headers: response.headers, body, text: JSON.stringify(body) };
      },
    };
  },
};

const incomingPayment: Operation = {
  name: 'payment from outside',
  moves: 'in',
  ends: 'paid',
  startedBy: 'outside',
  async prepare(lane, { receiver }, num_satoshis) {
    const { payment_request, r_hash_decoded } = await lane.client.post(`/v1/wallet/${receiver.id}/invoice`, { num_satoshis });
    return {
      amountMsat: msatOf(num_satoshis),
      paymentHash: r_hash_decoded,
      request: () => outsideStarts(lane, lane.outside.payInvoice({ paymentRequest: payment_request, from: 'carol' })),
    };
  },
};

const incomingKeysend: Operation = {
  name: 'keysend from outside',
  moves: 'in',
  ends: 'paid',
  startedBy: 'outside',
  async prepare(lane, { receiver }, numSatoshis) {
    const customRecords = { '696969': Buffer.from(receiver.id).toString('hex') };
    const amountMsat = msatOf(numSatoshis);
    return { amountMsat, request: () => outsideStarts(lane, lane.outside.keysend({ from: 'carol', amountMsat, customRecords })) };
  },
};

const newInvoice: Operation = {
  name: 'new invoice',
  moves: 'none',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { receiver }, num_satoshis) {
    return { amountMsat: msatOf(num_satoshis), request: () => request(lane, `/v1/wallet/${receiver.id}/invoice`, { num_satoshis }) };
  },
};

/** The same, reported before it is final: stored as arriving, then credited by a background job. */
function finalLater(operation: Operation): Operation {
  return { ...operation, name: `${operation.name} that is final later`, isFinalLater: true };
}

/** Retries, because the payer waits for the claim of our node, and a killed service does not decide. */
async function outsideStarts(lane: Lane, paid: Promise<unknown>): Promise<undefined> {
  await Promise.race([paid, lane.dead]);
}

export const OPERATIONS: readonly Operation[] = [
  withdrawal('withdrawal', 'paid'),
  withdrawal('withdrawal that fails', 'failed', { feeLimitMsat: 0 }),
  withdrawal('hold invoice that is settled', 'paid', { hold: 'settle' }),
  withdrawal('hold invoice that is cancelled', 'failed', { hold: 'cancel' }),
  lnurlPayment,
  keysend,
  insidePayment,
  incomingPayment,
  incomingKeysend,
  finalLater(incomingPayment),
  finalLater(incomingKeysend),
  lnurlWithdrawal,
  transfer,
  newInvoice,
];
