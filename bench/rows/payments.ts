import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { satToMsat } from '../../src/kernel/money.ts';
import { openPlayground } from '../../src/lightning/playground/playground.ts';
import { type Comparison, compare, perSecond, type Side } from '../compare.ts';

const PAYMENTS_PER_ROUND = 64;
const ROUNDS = 5;
const AMOUNT_SAT = 100;
const silent = { info() {}, warn() {}, error() {} };

/** Paying outside invoices through the whole service, against the same Lightning nodes called directly. */
export async function paymentRows(): Promise<Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-bench-'));
  const bare = await bareNodes(join(folder, 'bare'));
  const service = await wholeService(join(folder, 'service'));
  try {
    const rows: Comparison[] = [];
    for (const inFlight of [1, 16]) {
      const meaning = `what the service leaves of its node's speed, ${inFlight} payments in flight`;
      rows.push(
        await compare(`payments, ${inFlight} in flight`, meaning, 'payments/s', service.side(inFlight), bare.side(inFlight), ROUNDS),
      );
    }
    return rows;
  } finally {
    await service.close();
    await bare.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Bench {
  side(inFlight: number): Side;
  close(): Promise<void>;
}

async function bareNodes(dataDir: string): Promise<Bench> {
  const { node, control } = await openPlayground({ dataDir, log: silent });
  const invoice = { amountMsat: satToMsat(AMOUNT_SAT), memo: '', at: 'alice', expirySeconds: 3600, hold: false } as const;
  return {
    close: () => node.close(),
    side: (inFlight) => ({
      name: 'bare nodes',
      async round() {
        const invoices = await Promise.all(Array.from({ length: PAYMENTS_PER_ROUND }, () => control.createInvoice(invoice)));
        return perSecond(PAYMENTS_PER_ROUND, inFlight, async (index) => {
          const order = invoices[index];
          if (!order) throw new Error('an invoice is missing');
          const amounts = { amountMsat: satToMsat(AMOUNT_SAT), feeLimitMsat: satToMsat(10) };
          const outcome = await node.pay({ ...order, ...amounts, paymentId: randomUUID() });
          if (outcome.state !== 'succeeded') throw new Error(`a bare payment is ${outcome.state}`);
        });
      },
    }),
  };
}

async function wholeService(dataDir: string): Promise<Bench> {
  const satchel = await startSatchel(readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' }));
  const url = await satchel.server.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'x-api-key': satchel.newKeys?.secretKey ?? '', 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status >= 202) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string; payment_request: string };
  };
  const wallet = await post('/v1/wallet', {});
  await post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 10_000_000 });
  return {
    close: () => satchel.close(),
    side: (inFlight) => ({
      name: 'through the API',
      async round() {
        const invoices = await Promise.all(
          Array.from({ length: PAYMENTS_PER_ROUND }, () => post('/playground/invoice', { num_satoshis: AMOUNT_SAT })),
        );
        return perSecond(PAYMENTS_PER_ROUND, inFlight, (index) =>
          post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: invoices[index]?.payment_request }),
        );
      },
    }),
  };
}
