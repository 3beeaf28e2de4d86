import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { openPlayground } from '../../../../devnet/playground/playground.ts';
import type { OutsidePayment, TestNetwork } from '../../../../devnet/test-network.ts';
import type { Log } from '../../../../src/core/kernel/log.ts';
import { type Msat, msat } from '../../../../src/core/kernel/money.ts';
import type { LightningNode, NodeEvent, PaymentOutcome, Position } from '../../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../../support/node-invoice.ts';

/** Slightly less than the timeout of a test, so that a failed wait reports its name. */
export const DEADLINE_MS = 150_000;

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

export function collectLog(): Log & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

/** Creates a directory that is removed after the test file. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'satchel-playground-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Opens a playground that is closed after the test file. */
export async function openTemp(): Promise<TestNetwork> {
  const playground = await openPlayground({ dataDir: tempDir(), log: collectLog() });
  afterAll(() => playground.node.close());
  return playground;
}

/** Reads the node's events after `position` until one matches. */
export async function findEvent(node: LightningNode, fits: (event: NodeEvent) => boolean, position?: Position): Promise<NodeEvent> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  for await (const event of node.watch(position, signal)) if (fits(event)) return event;
  throw new Error('the event did not come');
}

/** Returns all events up to now: those before the end of a payment that this function makes. */
export async function allEvents(playground: TestNetwork): Promise<NodeEvent[]> {
  return (await eventsWithMarker(playground)).slice(0, -1);
}

/** Returns the position of the newest event: the end of a payment that this function makes. */
export async function newestPosition(playground: TestNetwork): Promise<Position | undefined> {
  return (await eventsWithMarker(playground)).at(-1)?.position;
}

async function eventsWithMarker({ node, control }: TestNetwork): Promise<NodeEvent[]> {
  const order = { paymentId: `marker-${crypto.randomUUID()}`, amountMsat: msat(1), marker: '00', feeLimitMsat: msat(0) };
  const marker = await control.createInvoice({ memo: '', at: 'alice', expirySeconds: 60, hold: false });
  await node.pay({ ...order, ...marker });
  const events: NodeEvent[] = [];
  for await (const event of node.watch(undefined, AbortSignal.timeout(DEADLINE_MS))) {
    events.push(event);
    if (event.type === 'payment' && event.paymentId === order.paymentId) return events;
  }
  throw new Error('the marker did not come');
}

export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not happen in time');
}

export interface PayOptions {
  readonly amountMsat?: number;
  readonly feeLimitMsat?: number;
  readonly paymentId?: string;
  readonly hold?: boolean;
}

/** The hub pays a new invoice of an outside node. */
export async function payOutside({ node, control }: TestNetwork, at: 'alice' | 'carol', options: PayOptions = {}) {
  const amountMsat = msat(options.amountMsat ?? 1_000_000);
  const invoice = await control.createInvoice({ amountMsat, memo: 'tea', at, expirySeconds: 600, hold: options.hold ?? false });
  const paymentId = options.paymentId ?? crypto.randomUUID();
  const order = { paymentId, ...invoice, amountMsat, marker: '00', feeLimitMsat: msat(options.feeLimitMsat ?? 0) };
  const outcome: PaymentOutcome = await node.pay(order);
  return { order, outcome };
}

export async function newInvoice(node: LightningNode, amountMsat: Msat = msat(2_000)) {
  return nodeInvoice(node, { amountMsat, description: 'coffee', expirySeconds: 600 });
}

/** Returns the state of a payment at a node. */
export async function outsideSays(
  { control }: TestNetwork,
  node: string,
  direction: string,
  paymentHash: string,
): Promise<OutsidePayment | undefined> {
  const payments = await control.payments(0, 1_000);
  return payments.find((payment) => payment.node === node && payment.direction === direction && payment.paymentHash === paymentHash);
}

/** Closes the resources that a single test opened. */
export function closeAfterEach(): (playground: TestNetwork) => TestNetwork {
  const open: TestNetwork[] = [];
  afterEach(async () => {
    for (const playground of open.splice(0)) await playground.node.close();
  });
  return (playground) => {
    open.push(playground);
    return playground;
  };
}

/** Closes the resources that a test file opened. */
export function closeAfterAll(): (playground: TestNetwork) => TestNetwork {
  const open: TestNetwork[] = [];
  afterAll(async () => {
    for (const playground of open) await playground.node.close();
  });
  return (playground) => {
    open.push(playground);
    return playground;
  };
}
