import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openSharedPlayground } from '../../devnet/playground/client.ts';
import { openPlayground } from '../../devnet/playground/playground.ts';
import { servePlayground } from '../../devnet/playground/server.ts';
import type { TestNetwork } from '../../devnet/test-network.ts';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Msat, satToMsat } from '../../src/core/kernel/money.ts';
import { nodeInvoice } from '../../test/support/node-invoice.ts';
import type { Row } from '../row.ts';
import { type Run, silentLog } from '../run.ts';
import { compare, perSecond, type Side } from '../sides.ts';

const PAYMENTS_PER_ROUND = 64;
const INVOICES_PER_ROUND = 512;
const AMOUNT_MSAT = satToMsat(100);
const FUNDS_SAT = 10_000_000;

/** Lightning through the complete service and through a shared playground, compared with direct calls of the same nodes. */
export function lightningRows(): Row[] {
  const payments = (inFlight: number): Row => ({
    name: `payments, ${inFlight} in flight`,
    meaning: 'speed of payments through the service ÷ of its node',
    unit: 'payments/s',
    ...(inFlight === 16 && { target: { goal: 0.9, floor: 0.7 } }),
    measure: (run) => both(run, (nodes) => paymentSide(nodes, inFlight)),
  });
  return [
    payments(1),
    payments(16),
    {
      name: 'invoices, 16 in flight',
      meaning: 'speed of creating invoices through the service ÷ of its node',
      unit: 'invoices/s',
      measure: (run) => both(run, invoiceSide),
    },
    {
      name: 'shared playground, 16 payments in flight',
      meaning: 'speed of payments of a shared playground ÷ of one in the same process',
      unit: 'payments/s',
      measure: (run) => sharedAndOwn(run, (nodes) => paymentSide(nodes, 16)),
    },
    {
      name: 'shared playground, 16 incoming payments in flight',
      meaning: 'speed of incoming payments of a shared playground ÷ of one in the same process',
      unit: 'payments/s',
      measure: (run) => sharedAndOwn(run, incomingSide),
    },
  ];
}

/** A payment backend: the bare nodes, or a complete service in front of them. */
interface Backend extends AsyncDisposable {
  readonly name: string;
  outsideInvoices(count: number): Promise<readonly { paymentRequest: string; paymentHash: string }[]>;
  pay(invoice: { paymentRequest: string; paymentHash: string }): Promise<void>;
  createInvoice(): Promise<unknown>;
}

async function both(run: Run, side: (backend: Backend) => Side) {
  const folder = run.folder();
  await using service = await wholeService(join(folder, 'service'));
  await using bare = bareNodes('bare nodes', await openPlayground({ dataDir: join(folder, 'bare'), log: silentLog }));
  return await compare(run, side(service), side(bare));
}

function paymentSide(backend: Backend, inFlight: number): Side {
  return {
    name: backend.name,
    async round() {
      const invoices = await backend.outsideInvoices(PAYMENTS_PER_ROUND);
      return perSecond(invoices.length, inFlight, async (index) => {
        const invoice = invoices[index];
        if (invoice) await backend.pay(invoice);
      });
    },
  };
}

function invoiceSide(backend: Backend): Side {
  return { name: backend.name, round: () => perSecond(INVOICES_PER_ROUND, 16, () => backend.createInvoice()) };
}

async function sharedAndOwn(run: Run, side: (nodes: BareNodes) => Side) {
  const folder = run.folder();
  const secret = randomUUID();
  const server = await servePlayground({ dataDir: join(folder, 'shared'), host: '127.0.0.1', port: 0, secret, log: silentLog });
  try {
    const url = `playground://127.0.0.1:${server.port}?secret=${secret}`;
    await using shared = bareNodes('shared playground', openSharedPlayground({ url, log: silentLog }));
    await using own = bareNodes('own playground', await openPlayground({ dataDir: join(folder, 'own'), log: silentLog }));
    return await compare(run, side(shared), side(own));
  } finally {
    await server.close();
  }
}

interface BareNodes extends Backend {
  receive(): Promise<void>;
}

function incomingSide(nodes: BareNodes): Side {
  return { name: nodes.name, round: () => perSecond(PAYMENTS_PER_ROUND, 16, () => nodes.receive()) };
}

function bareNodes(name: string, { node, control }: TestNetwork): BareNodes {
  const order = { amountMsat: AMOUNT_MSAT, memo: '', at: 'alice', expirySeconds: 3600, hold: false } as const;
  const createInvoice = () => nodeInvoice(node, { amountMsat: AMOUNT_MSAT, description: '', expirySeconds: 3600 });
  node.guardIncoming(async () => 'claim');
  return {
    name,
    [Symbol.asyncDispose]: () => node.close(),
    outsideInvoices: (count) => Promise.all(Array.from({ length: count }, () => control.createInvoice(order))),
    async pay({ paymentRequest, paymentHash }) {
      const feeLimitMsat: Msat = satToMsat(10);
      const outcome = await node.pay({
        paymentRequest,
        paymentHash,
        amountMsat: AMOUNT_MSAT,
        feeLimitMsat,
        marker: '00',
        paymentId: randomUUID(),
      });
      if (outcome.state !== 'succeeded') throw new Error(`a bare payment is ${outcome.state}`);
    },
    createInvoice,
    async receive() {
      const { paymentRequest } = await createInvoice();
      const { state } = await control.payInvoice({ paymentRequest, from: 'alice' });
      if (state !== 'succeeded') throw new Error(`an incoming payment is ${state}`);
    },
  };
}

async function wholeService(dataDir: string): Promise<Backend> {
  const satchel = await startSatchel(readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', MAX_OPEN_INVOICES: '1000000' }));
  const url = await satchel.server.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'x-api-key': satchel.newKeys?.secretKey ?? '', 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status >= 202) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string; payment_request: string };
  };
  const wallet = await post('/v1/wallet', {});
  await post('/playground/fund', { wallet_id: wallet.id, num_satoshis: FUNDS_SAT });
  const outsideInvoice = async () => {
    const { payment_request: paymentRequest } = await post('/playground/invoice', { num_satoshis: AMOUNT_MSAT / 1000 });
    return { paymentRequest, paymentHash: '' };
  };
  return {
    name: 'through the API',
    [Symbol.asyncDispose]: () => satchel.close(),
    outsideInvoices: (count) => Promise.all(Array.from({ length: count }, outsideInvoice)),
    pay: async ({ paymentRequest }) => void (await post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest })),
    createInvoice: () => post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: AMOUNT_MSAT / 1000 }),
  };
}
