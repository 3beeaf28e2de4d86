import { expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { connectNodes } from '../../src/core/connection/connections.ts';
import { readNodeEvents } from '../../src/core/connection/events.ts';
import type { Database } from '../../src/core/db/database.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { msat } from '../../src/core/kernel/money.ts';
import {
  HistoryChanged,
  type LightningNode,
  type NodeEvent,
  type NodeInfo,
  type Position,
  type Settlement,
} from '../../src/core/lightning/node.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';

type PositionOf = (index: number, paymentHash: string, epoch: string) => Position;

/** The positions of each kind of node. A Core Lightning node that is restored to before the ledger loses its epoch. */
const KINDS: Record<string, PositionOf> = {
  LND: (index, paymentHash) => `${index}:${paymentHash}`,
  'Core Lightning': (index, paymentHash, epoch) => `${index}-${paymentHash.slice(0, 16)}-${epoch}`,
};

onBothDatabases('after a restore of the node, the ledger', (open) => {
  for (const [kind, positionOf] of Object.entries(KINDS)) {
    it(`books only the settlements since its start (${kind})`, async () => {
      const { node, read, isAlerted } = await openService(await open(), positionOf, ['old 1', 'old 2']);
      expect(await read()).toEqual([]);
      node.settle('new 1');
      const backup = node.backup();
      node.settle('lost');
      expect(await read()).toEqual(['new 1', 'lost']);
      expect(await isAlerted()).toBe(false);
      node.restore(backup);
      node.settle('new 2');
      expect(await read()).toEqual(['new 1', 'new 2']);
      expect(await isAlerted()).toBe(true);
      node.settle('new 3');
      expect(await read()).toEqual(['new 3']);
    });

    it(`books only the settlements since its start if the node was restored to before it (${kind})`, async () => {
      const { node, read } = await openService(await open(), positionOf, ['old 1', 'old 2', 'old 3']);
      const backup = node.backup(1);
      node.settle('lost');
      expect(await read()).toEqual(['lost']);
      node.restore(backup);
      // As many as before, so that the numbers of the node are those of other settlements.
      for (const name of ['new 1', 'new 2', 'new 3', 'new 4']) node.settle(name);
      node.interruptAfter(2);
      expect(await read()).toEqual(['new 1', 'new 2', 'new 3', 'new 4']);
      node.restore(backup);
      node.settle('new 5');
      expect(await read()).toEqual(['new 5']);
    });

    it(`books only later settlements if it had read none (${kind})`, async () => {
      const { node, read, isAlerted } = await openService(await open(), positionOf, ['old 1', 'old 2']);
      expect(await read()).toEqual([]);
      node.restore(node.backup(1));
      node.settle('new 1');
      expect(await read()).toEqual(['new 1']);
      expect(await isAlerted()).toBe(true);
    });

    it(`books all settlements if it began with an empty node (${kind})`, async () => {
      const { node, read } = await openService(await open(), positionOf, []);
      expect(await read()).toEqual([]);
      const backup = node.backup();
      for (const name of ['new 1', 'lost']) node.settle(name);
      expect(await read()).toEqual(['new 1', 'lost']);
      node.restore(backup);
      node.settle('new 2');
      expect(await read()).toEqual(['new 2']);
    });
  }
});

interface Backup {
  readonly settlements: readonly Settlement[];
  readonly epoch: string;
}

/** A node with settlements, which can be restored. A second passes between two settlements. */
class RestorableNode {
  readonly #positionOf: PositionOf;
  #settlements: Settlement[] = [];
  #epoch = 'aaaaaaaa';
  #settledAt = 1_700_000_000;
  #interruptAfter = Number.POSITIVE_INFINITY;

  constructor(positionOf: PositionOf, names: readonly string[]) {
    this.#positionOf = positionOf;
    for (const name of names) this.settle(name);
  }

  settle(name: string): void {
    const paymentHash = Buffer.from(name).toString('hex').padEnd(64, '0');
    this.#settlements.push({
      type: 'settlement',
      position: this.#positionOf(this.#settlements.length + 1, paymentHash, this.#epoch),
      paymentHash,
      preimage: paymentHash,
      amountMsat: msat(1000),
      settledAt: this.#settledAt++,
      keysend: false,
      customRecords: {},
    });
  }

  /** A copy of its data now, or when it had fewer settlements. */
  backup(count = this.#settlements.length): Backup {
    return { settlements: this.#settlements.slice(0, count), epoch: count < this.#settlements.length ? 'bbbbbbbb' : this.#epoch };
  }

  restore({ settlements, epoch }: Backup): void {
    this.#settlements = [...settlements];
    this.#epoch = epoch;
  }

  /** Breaks the next connection after so many events. */
  interruptAfter(events: number): void {
    this.#interruptAfter = events;
  }

  adapter(): LightningNode {
    const has = (position: Position) => this.#settlements.some((one) => one.position === position);
    const info = { pubkey: '02'.padEnd(66, '0'), network: 'regtest' } as NodeInfo;
    return {
      info: async () => info,
      newestSettlement: async () => this.#settlements.at(-1),
      knowsPosition: async (position: Position) => has(position),
      watch: (position: Position | undefined) => this.#watch(position, has),
    } as Partial<LightningNode> as LightningNode;
  }

  async *#watch(position: Position | undefined, has: (position: Position) => boolean): AsyncGenerator<NodeEvent> {
    if (position !== undefined && !has(position)) throw new HistoryChanged('the node was restored');
    const all = this.#settlements.slice(this.#settlements.findIndex((one) => one.position === position) + 1);
    const left = this.#interruptAfter;
    this.#interruptAfter = Number.POSITIVE_INFINITY;
    yield* all.slice(0, left);
    if (all.length > left) throw new Error('the connection is lost');
    // The last event, so that a test need not wait.
    yield { type: 'payment', position: this.#settlements.at(-1)?.position ?? '', paymentId: 'end', outcome: { state: 'pending' } };
  }
}

async function openService(database: Database, positionOf: PositionOf, names: readonly string[]) {
  const node = new RestorableNode(positionOf, names);
  const alerts = createAlerts(database, systemClock, silentLog);
  const common = { database, alerts, clock: systemClock, log: silentLog };
  const connect = () => connectNodes({ ...common, nodes: [node.adapter()], onRestore: async () => undefined });
  await connect();
  return {
    node,
    isAlerted: async () => (await alerts.listOpen()).some(({ kind }) => kind === 'node_restored'),
    /** Starts the service, and returns the names of the settlements that it books until it has read all. */
    async read(): Promise<string[]> {
      const [connection] = (await connect()).all;
      if (!connection) throw new Error('there is no node');
      const stop = new AbortController();
      const booked: string[] = [];
      const handlers = {
        settle: async ({ paymentHash }: { paymentHash: string }) => {
          booked.push(Buffer.from(paymentHash.replace(/(00)+$/, ''), 'hex').toString());
        },
        reportOutcome: async () => stop.abort(),
      };
      const intervals = { retryMs: 1, storePositionMs: 1, retryUnbookedMs: 60_000 };
      const hooks = { onPaymentHint: () => undefined, onReconnect: () => undefined };
      await readNodeEvents({ ...common, ...hooks, connection, handlers, intervals }, stop.signal);
      return booked;
    },
  };
}
