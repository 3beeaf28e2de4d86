import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventNumber } from '../../../devnet/event-position.ts';
import { openSharedPlayground } from '../../../devnet/playground/client.ts';
import { type DevnetRelay, startRelay } from '../../../devnet/relay.ts';
import type { OutsidePayment, PlaygroundControl } from '../../../devnet/test-network.ts';
import type { Dialect } from '../../../src/core/db/database.ts';
import { openDatabase } from '../../../src/core/db/open.ts';
import { statement } from '../../../src/core/db/statement.ts';
import type { LightningNode, Position } from '../../../src/core/lightning/node.ts';
import type { Client, Json, TestWallet } from '../../support/client.ts';
import { silentLog } from '../../support/ledger.ts';
import { connectApp, type NwcApp } from '../../support/nwc.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import type { Order, Report } from './crash-points.ts';

const ENTRY = 'test/process/kill-matrix/crashing-service.ts';
const PAGE = 1000;

/*
 * On PostgreSQL, a killed instance counts as running for some seconds. The test ends it at once, because it would wait at each point. Another test covers
 * the real times.
 */
const freeLeases = statement('test_free_leases', 'UPDATE lease SET instance_id = NULL');
const endInstances = statement('test_end_instances', 'UPDATE instance SET ended_at = seen_at WHERE ended_at IS NULL');

/** A database with the service, which is killed and restarted, and a Lightning network that continues to run. */
export class Lane {
  readonly dialect: Dialect;
  readonly settings: Record<string, string>;
  /** The outside nodes. */
  readonly outside: PlaygroundControl;
  /** The service's node as the node itself reports it. */
  readonly hub: LightningNode;
  /** The relay of the apps and payers of zaps. */
  readonly relay: DevnetRelay;
  readonly #apps = new Map<string, NwcApp>();
  #service: ServiceProcess;
  #lastOutside = 0;
  #position: Position | undefined;

  private constructor(
    dialect: Dialect,
    settings: Record<string, string>,
    outside: PlaygroundControl,
    hub: LightningNode,
    relay: DevnetRelay,
    service: ServiceProcess,
  ) {
    this.dialect = dialect;
    this.settings = settings;
    this.outside = outside;
    this.hub = hub;
    this.relay = relay;
    this.#service = service;
  }

  static async open(dialect: Dialect, settings: Record<string, string>): Promise<Lane> {
    const { node, control } = openSharedPlayground({ url: settings.LIGHTNING_URL ?? '', log: silentLog });
    const relay = await startRelay();
    const all = { ...settings, NWC_RELAYS: relay.url, ZAPS: 'true', LNDHUB: 'true' };
    return new Lane(dialect, all, control, node, relay, await startProcess(all, ENTRY));
  }

  get client(): Client {
    return this.#service.client;
  }

  get dead(): Promise<void> {
    return this.#service.dead;
  }

  wallet(numSatoshis: number): Promise<TestWallet> {
    return this.client.wallet(numSatoshis);
  }

  /** Returns the app of a wallet. It is connected when it is needed first, because it makes each start of the service slower. */
  async app({ id }: TestWallet): Promise<NwcApp> {
    // With a permission to read, it would also be notified of payments.
    const order = { permissions: ['wallet_deposit', 'wallet_withdraw'] };
    const app = this.#apps.get(id) ?? (await connectApp(this.client, id, order));
    this.#apps.set(id, app);
    return app;
  }

  kill(): Promise<void> {
    return this.#service.kill();
  }

  async restart(): Promise<void> {
    if (this.dialect === 'postgres') {
      const database = await openDatabase(this.settings.DATABASE_URL ?? '', { log: silentLog });
      await database.transaction(async (tx) => {
        await tx.run(freeLeases);
        await tx.run(endInstances);
      });
      await database.close();
    }
    this.#service = await startProcess(this.settings, ENTRY);
  }

  /** @returns undefined when the service was killed. */
  async send(kind: Order['kind'], point?: string, isFinalLater = false): Promise<Report | undefined> {
    const position = await this.#newestPosition();
    return (await this.#service.send({ kind, point, position, isFinalLater } satisfies Order)) as Report | undefined;
  }

  /** Returns the payments that the outside nodes report since the last {@link turnPage}. */
  async truth(): Promise<OutsidePayment[]> {
    return [...(await this.outside.payments(this.#lastOutside, PAGE))];
  }

  async turnPage(): Promise<void> {
    this.#lastOutside = (await this.truth()).at(-1)?.id ?? this.#lastOutside;
  }

  async balancesMsat(wallets: readonly TestWallet[]): Promise<Json[]> {
    return Promise.all(wallets.map(({ id }) => this.client.get(`/v1/wallet/${id}?fields=balance_msat,pending_msat`)));
  }

  async close(): Promise<void> {
    await this.#service.kill();
    for (const app of this.#apps.values()) app.close();
    await this.relay.stop();
    await this.hub.close();
  }

  /** The node responds in order, so if no event has arrived before the response to `info`, there is none. */
  async #newestPosition(): Promise<number> {
    const life = new AbortController();
    const events = this.hub.watch(this.#position, life.signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = events.next();
        const first = await Promise.race([next, this.hub.info().then(() => delay(0))]);
        if (!first || first.done) return eventNumber(this.#position);
        this.#position = first.value.position;
      }
    } finally {
      life.abort();
    }
  }
}

/** Checks until the condition holds. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { interval: 10, message: `it never came to this: ${what}` }).toBe(true);
}
