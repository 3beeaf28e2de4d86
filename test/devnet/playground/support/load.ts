import { appendFileSync } from 'node:fs';
import { openPlayground } from '../../../../devnet/playground/playground.ts';
import { msat } from '../../../../src/core/kernel/money.ts';
import { nodeInvoice } from '../../../support/node-invoice.ts';

// Pays in every direction until it is killed. It writes each result to a file before it continues.
const [dataDir, diary] = process.argv.slice(2) as [string, string];
const log = { info: () => {}, warn: () => {}, error: () => {} };
const { node, control } = await openPlayground({ dataDir, log });
node.guardIncoming(async () => 'claim');

function write(line: object): void {
  appendFileSync(diary, `${JSON.stringify(line)}\n`);
}

async function payOutFor(at: 'alice' | 'carol'): Promise<never> {
  for (;;) {
    const amountMsat = msat(1_000 + Math.floor(Math.random() * 100_000));
    const invoice = await control.createInvoice({ amountMsat, memo: '', at, expirySeconds: 600, hold: false });
    const paymentId = crypto.randomUUID();
    write({ type: 'order', paymentId, paymentHash: invoice.paymentHash, amountMsat });
    write({
      type: 'outcome',
      paymentId,
      outcome: await node.pay({ paymentId, ...invoice, amountMsat, marker: '00', feeLimitMsat: msat(5_000) }),
    });
  }
}

async function payInFrom(from: 'alice' | 'carol'): Promise<never> {
  for (;;) {
    const amountMsat = msat(1_000 + Math.floor(Math.random() * 100_000));
    const { paymentRequest } = await nodeInvoice(node, { amountMsat, description: '', expirySeconds: 600 });
    write({ type: 'received', payment: await control.payInvoice({ paymentRequest, from }) });
  }
}

const loops = [payOutFor('alice'), payOutFor('carol'), payInFrom('alice'), payInFrom('carol')];
console.log('running');
await Promise.all(loops);
