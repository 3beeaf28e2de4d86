import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { METADATA_HASH, RemoteService } from '../../lnurl/payee.ts';
import type { HttpResponse, Json } from '../../support/client.ts';
import { APP_OPERATIONS } from './app-operations.ts';
import type { Lane } from './lane.ts';
import { msatOf, type Operation, outsideInvoice, outsideStarts, pubkeyOfCarol, type Wallets } from './operation.ts';

function request(lane: Lane, path: string, json: Json): Promise<HttpResponse> {
  return lane.client.request('POST', path, { key: lane.client.secretKey, json });
}

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
      const made = await outsideInvoice(lane, numSatoshis, { hold: hold !== undefined });
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
    const made = await outsideInvoice(lane, numSatoshis, { descriptionHash: METADATA_HASH });
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
    const body = { dest_pubkey: await pubkeyOfCarol(lane), num_satoshis };
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

const bulkTransfer: Operation = {
  name: 'bulk transfer',
  moves: 'inside',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { payer, receiver }, num_satoshis) {
    const lines = [num_satoshis - 3, 1, 2].map((sat) => ({ dest_wallet_id: receiver.id, num_satoshis: sat }));
    return { amountMsat: msatOf(num_satoshis), request: () => request(lane, `/v1/wallet/${payer.id}/transfers`, { lines }) };
  },
};

/** A payout of one line. Its client repeats the request with the same Idempotency-Key, and reads the payout until it is finished. */
function payout(
  kind: string,
  moves: 'out' | 'inside',
  lineOf: (lane: Lane, wallets: Wallets, numSatoshis: number) => Promise<{ line: Json; paymentHash?: string }>,
): Operation {
  return {
    name: `payout to ${kind}`,
    moves,
    ends: 'paid',
    startedBy: 'outside',
    usesTasks: true,
    async prepare(lane, wallets, numSatoshis) {
      const { line, ...hash } = await lineOf(lane, wallets, numSatoshis);
      const path = `/v1/wallet/${wallets.payer.id}/payouts`;
      const headers = { 'idempotency-key': randomUUID() };
      const finish = async (): Promise<HttpResponse> => {
        const ordered = await lane.client.request('POST', path, { key: lane.client.secretKey, json: { lines: [line] }, headers });
        for (;;) {
          const read = await lane.client.request('GET', `${path}/${ordered.body.id}`, { key: lane.client.secretKey });
          // The status of a payment, for the comparison.
          if (read.body.status === 'finished') return { ...read, status: read.body.num_paid === 1 ? 201 : 400 };
          await delay(20);
        }
      };
      return { amountMsat: msatOf(numSatoshis), ...hash, request: finish, recover: finish };
    },
  };
}

const payouts = [
  payout('an invoice', 'out', async (lane, _, numSatoshis) => {
    const { paymentRequest: destination, paymentHash } = await outsideInvoice(lane, numSatoshis);
    return { line: { destination }, paymentHash };
  }),
  payout('an address', 'out', async (lane, _, num_satoshis) => {
    const { paymentRequest, paymentHash } = await outsideInvoice(lane, num_satoshis, { descriptionHash: METADATA_HASH });
    payeeInvoices.set(lane.dialect, paymentRequest);
    return { line: { destination: `lnurlp://${payee.host}/link?of=${lane.dialect}`, num_satoshis }, paymentHash };
  }),
  payout('a wallet', 'inside', async (_, { receiver }, num_satoshis) => ({ line: { destination: receiver.id, num_satoshis } })),
];

const lnurlWithdrawal: Operation = {
  name: 'claim of a withdraw link',
  moves: 'out',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { payer }, num_satoshis) {
    const amountMsat = msatOf(num_satoshis);
    const link = await lane.client.post(`/v1/wallet/${payer.id}/lnurl/withdraw`, { num_satoshis });
    const made = await outsideInvoice(lane, num_satoshis);
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
  bulkTransfer,
  ...payouts,
  newInvoice,
  ...APP_OPERATIONS,
];
