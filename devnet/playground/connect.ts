import { addAbortListener } from 'node:events';
import { pause } from '../../src/core/kernel/clock.ts';
import { errorMessage, type Log } from '../../src/core/kernel/log.ts';
import { HistoryChanged, type IncomingGuard, type LightningNode, type NodeEvent, type Position } from '../../src/core/lightning/node.ts';
import { ALL_CAPABILITIES } from '../checks.ts';
import type { PlaygroundControl, TestNetwork } from '../test-network.ts';
import { type Call, type ClaimRequest, MAX_WAIT_MS, type Transport } from './protocol.ts';

/** Returns the playground at the other end of a transport, with the node of this name. Closing the node closes the transport. */
export function connectTestNetwork(transport: Transport, name: string, log: Log): TestNetwork {
  const { call } = transport;
  const closing = new AbortController();
  const guard = new ClaimGuard(call, log, closing.signal);
  const close = async (): Promise<void> => {
    closing.abort();
    await transport.close();
  };
  return { node: serviceNode({ name, call, guard, closing: closing.signal, close }), control: playgroundControl(call) };
}

interface ServiceNodeOptions {
  readonly name: string;
  readonly call: Call;
  readonly guard: ClaimGuard;
  readonly closing: AbortSignal;
  readonly close: () => Promise<void>;
}

function serviceNode({ name, call, guard, closing, close }: ServiceNodeOptions): LightningNode {
  return {
    info: async () => {
      const { nodes } = await call('describe', null);
      const pubkey = nodes.find((node) => node.name === name)?.pubkey as string;
      return {
        pubkey,
        alias: name,
        network: 'regtest',
        software: 'LDK playground',
        capabilities: { ...ALL_CAPABILITIES, holdInvoices: false },
      };
    },
    createInvoice: (request) => call('createInvoice', request),
    cancelInvoice: (paymentHash) => call('cancelInvoice', { paymentHash }),
    pay: (order) => call('pay', order),
    keysend: (order) => call('keysend', order),
    lookupPayment: ({ paymentId }) => call('lookupPayment', { paymentId }),
    readSentPayments: (query) => call('readSentPayments', query),
    readSettlements: (query) => call('readSettlements', query),
    lookupInvoice: (paymentHash) => call('lookupInvoice', { paymentHash }),
    // LDK reports a payment as claimed after it has stored the preimage with each channel, and sends it again after a restart.
    settlementFinality: async () => ({ state: 'final' }),
    guardIncoming: (decide) => guard.set(decide),
    watch: (position, signal) => watchEvents(call, position, AbortSignal.any([signal, closing])),
    knowsPosition: async (position) => (await call('events', { after: position, limit: 1, waitMs: 0 })) !== null,
    queryRoutes: (query) => call('queryRoutes', query),
    listChannels: () => call('listChannels', null),
    balance: () => call('balance', null),
    claimForLedger: (ledgerId, replaces) => call('claimForLedger', { ledgerId, replaces }),
    close,
  };
}

function playgroundControl(call: Call): PlaygroundControl {
  return {
    describe: () => call('describe', null),
    payInvoice: (request) => call('outsidePay', request),
    createInvoice: (request) => call('outsideInvoice', request),
    keysend: (request) => call('outsideKeysend', request),
    payments: (after, limit) => call('outsidePayments', { after, limit }),
    resolveHold: async (paymentHash, action) => {
      await call('resolveHold', { paymentHash, action });
    },
  };
}

const EVENTS_PER_PAGE = 256;
const RETRY_MS = 100;
const DECISION_RETRY_MS = 500;

/**
 * Returns the node's events after `position` in order until the signal aborts. After a failed call it reads again from the last event, so no
 * event is skipped or repeated.
 * @throws HistoryChanged when the playground was restored from an older backup.
 */
async function* watchEvents(call: Call, position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent> {
  let after = position;
  while (!signal.aborted) {
    const request = { after: after ?? null, limit: EVENTS_PER_PAGE, waitMs: MAX_WAIT_MS };
    const events = await unlessAborted(call('events', request), signal);
    if (events === null) throw new HistoryChanged(`the playground has no event at position ${after}`);
    for (const event of events ?? []) {
      if (signal.aborted) return;
      after = event.position;
      yield event;
    }
    if (!events) await pause(RETRY_MS, signal);
  }
}

/** Passes the node's incoming payments to the service's guard, and the guard's decisions to the playground. */
class ClaimGuard {
  readonly #call: Call;
  readonly #log: Log;
  readonly #closing: AbortSignal;
  readonly #inProgress = new Set<number>();
  #guard: IncomingGuard | undefined;

  constructor(call: Call, log: Log, closing: AbortSignal) {
    this.#call = call;
    this.#log = log;
    this.#closing = closing;
  }

  /** Until the first guard is set, incoming payments wait at the playground. */
  set(guard: IncomingGuard): void {
    if (!this.#guard) void this.#run(guard);
    this.#guard = guard;
  }

  async #run(first: IncomingGuard): Promise<void> {
    let after = 0;
    while (!this.#closing.aborted) {
      const requests = await unlessAborted(this.#call('claimRequests', { after, waitMs: MAX_WAIT_MS }), this.#closing);
      for (const request of requests ?? []) {
        if (this.#inProgress.has(request.askId)) continue;
        this.#inProgress.add(request.askId);
        void this.#decide(this.#guard ?? first, request).finally(() => this.#inProgress.delete(request.askId));
      }
      // After a failed call it reads all of them again: a playground that was restored from a backup has lower ids.
      after = requests ? (requests.at(-1)?.askId ?? after) : 0;
      if (!requests) await pause(RETRY_MS, this.#closing);
    }
  }

  async #decide(guard: IncomingGuard, request: ClaimRequest): Promise<void> {
    while (!this.#closing.aborted) {
      const decision = await this.#ask(guard, request);
      // Deciding twice has no effect, so a decision that may be lost is made and sent again.
      if (decision && (await this.#send(request, decision))) return;
      await pause(DECISION_RETRY_MS, this.#closing);
    }
  }

  async #ask(guard: IncomingGuard, { incoming }: ClaimRequest): Promise<'claim' | 'refuse' | undefined> {
    try {
      return await guard(incoming);
    } catch (error) {
      const fields = { paymentHash: incoming.paymentHash, error: errorMessage(error) };
      if (!this.#closing.aborted) this.#log.warn(fields, 'an incoming payment waits: its guard failed');
      return undefined;
    }
  }

  /** Returns whether the playground has the decision. The transport logs why it has not. */
  async #send({ askId }: ClaimRequest, decision: 'claim' | 'refuse'): Promise<boolean> {
    return await this.#call('decideClaim', { askId, decision }).then(
      () => true,
      () => false,
    );
  }
}

/** Returns the value of the call, or undefined when it fails or the signal aborts first. */
async function unlessAborted<T>(call: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  using _listener = addAbortListener(signal, () => resolve(undefined));
  return await Promise.race([call.catch(() => undefined), aborted]);
}
