import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database, Dialect } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import type { Outbound } from '../../src/core/outbound/outbound.ts';
import { OutboundError } from '../../src/core/outbound/outbound.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { type Instance, type World, worldOn } from './harness.ts';

/** What happens to the service and its receivers. Numbers are indexes, taken modulo the number of items. */
type Step =
  | { readonly do: 'events'; readonly wallet: number; readonly type: number; readonly count: number }
  | { readonly do: 'receiver'; readonly hook: number; readonly mode: Mode }
  | { readonly do: 'pass'; readonly minutes: number }
  | { readonly do: 'status'; readonly hook: number; readonly status: 'active' | 'paused' }
  | { readonly do: 'filter'; readonly hook: number; readonly types: string | null }
  | { readonly do: 'fault'; readonly instance: number; readonly isCommitted: boolean }
  | { readonly do: 'kill' | 'stop'; readonly instance: number }
  | { readonly do: 'wait'; readonly ms: number };

/** `lost`: the receiver accepts, and its response is lost. */
type Mode = 'up' | 'down' | 'flaky' | 'lost';

const TYPES = ['wallet_transfer_in', 'wallet_transfer_out', 'wallet_updated'] as const;

const index = fc.nat(99);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('events' as const), wallet: index, type: index, count: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('receiver' as const), hook: index, mode: fc.constantFrom<Mode>('up', 'down', 'flaky', 'lost') }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: -120, max: 120 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('status' as const), hook: index, status: fc.constantFrom('active', 'paused') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('filter' as const),
      hook: index,
      types: fc.constantFrom(null, TYPES[0], `${TYPES[1]} ${TYPES[2]}`),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fault' as const), instance: index, isCommitted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'stop' as const), instance: index }) },
);

const readOpen = statement<{ position: number; state: string; status: string }>(
  'twin_read_open',
  `SELECT d.position, d.state, w.status FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id
   WHERE w.account_id = $1 AND d.ended_at_ms IS NULL`,
);
/** A webhook as the twin knows it: the events that it must get, in order, and what its receiver accepted. */
interface Hook {
  readonly id: string;
  readonly walletId: string | null;
  types: string | null;
  mode: Mode;
  requests: number;
  readonly expected: { readonly id: string; readonly key: string }[];
  readonly accepted: string[];
}

/** A service with receivers, and what it must do. */
class Twin {
  readonly #world: World;
  readonly #hooks: Hook[] = [];
  readonly #problems: string[] = [];
  #instances: Instance[] = [];
  /** Whether an event may arrive twice. */
  #mayRepeat = false;

  constructor(world: World) {
    this.#world = world;
  }

  static async begin(database: Database, dialect: Dialect): Promise<Twin> {
    const world = await worldOn(database);
    const twin = new Twin(world);
    const filters = [
      { walletId: null, eventTypes: null },
      { walletId: null, eventTypes: `${TYPES[0]} ${TYPES[2]}` },
      { walletId: world.wallets[0], eventTypes: null },
    ];
    for (const filter of filters) {
      const id = await world.addWebhook(filter);
      twin.#hooks.push({ id, walletId: filter.walletId, types: filter.eventTypes, mode: 'up', requests: 0, expected: [], accepted: [] });
    }
    for (let count = dialect === 'sqlite' ? 1 : 2; count > 0; count--) twin.#startInstance();
    return twin;
  }

  #startInstance(): void {
    this.#instances.push(this.#world.start({ post: this.#receiver() }));
  }

  /** Returns the receivers of one instance, which sends the deliveries of a key one after the other. */
  #receiver(): Outbound['post'] {
    const inFlight = new Set<string>();
    return async (url, { headers = {}, signal }) => {
      const hook = this.#hooks.find(({ id }) => url.endsWith(id)) as Hook;
      const eventId = headers['webhook-id'] ?? '';
      const key = `${hook.id} ${hook.expected.find(({ id }) => id === eventId)?.key}`;
      if (inFlight.has(key)) this.#problems.push(`two deliveries of ${key} at once`);
      inFlight.add(key);
      hook.requests += 1;
      const isFailure = hook.mode === 'down' || (hook.mode === 'flaky' && hook.requests % 3 === 0);
      const isLost = hook.mode === 'lost' && hook.requests % 2 === 0;
      await delay(hook.requests % 4);
      inFlight.delete(key);
      if (!isFailure) hook.accepted.push(eventId);
      signal?.throwIfAborted();
      if (isLost) throw new OutboundError('timed_out', 'too late');
      return { status: isFailure ? 500 : 200, text: '' };
    };
  }

  #hook(at: number): Hook {
    return this.#hooks[at % this.#hooks.length] as Hook;
  }

  async apply(taken: Step): Promise<void> {
    switch (taken.do) {
      case 'events':
        return this.#insertEvents(taken);
      case 'receiver':
        this.#hook(taken.hook).mode = taken.mode;
        this.#mayRepeat ||= taken.mode === 'lost';
        return;
      case 'pass':
        this.#world.passedMs += taken.minutes * 60_000;
        return;
      case 'status':
        return this.#world.execute('UPDATE webhook SET status = $2 WHERE id = $1', this.#hook(taken.hook).id, taken.status);
      case 'filter':
        this.#hook(taken.hook).types = taken.types;
        return this.#world.execute('UPDATE webhook SET event_types = $2 WHERE id = $1', this.#hook(taken.hook).id, taken.types);
      case 'wait':
        return void (await delay(taken.ms));
      case 'fault':
        (this.#instances[taken.instance % this.#instances.length] as Instance).fault = taken.isCommitted ? 'after' : 'before';
        return;
      default:
        return this.#replaceInstance(taken);
    }
  }

  async #replaceInstance({ do: how, instance: at }: Step & { do: 'kill' | 'stop' }): Promise<void> {
    const [instance] = this.#instances.splice(at % this.#instances.length, 1);
    // The last results cannot be stored if the transaction of an instance that stops fails.
    this.#mayRepeat ||= how === 'kill' || instance?.fault !== undefined;
    if (how === 'stop') await instance?.stop();
    else if (instance) {
      instance.kill();
      this.#world.ended.add(instance.id);
    }
    this.#startInstance();
  }

  async #insertEvents({ wallet, type: typeIndex, count }: Step & { do: 'events' }): Promise<void> {
    const walletId = this.#world.wallets[wallet % 3] ?? null;
    const type = TYPES[typeIndex % TYPES.length] ?? TYPES[0];
    const ids = await this.#world.insertEvents(count, { walletId, type });
    for (const hook of this.#hooks) {
      const isWanted = (hook.walletId === null || hook.walletId === walletId) && (hook.types?.split(' ').includes(type) ?? true);
      if (isWanted) hook.expected.push(...ids.map((id) => ({ id, key: walletId ?? '' })));
    }
  }

  /** Repairs everything, lets hours pass until nothing waits, and compares what arrived with what was expected. */
  async finish(): Promise<void> {
    const { database, accountId } = this.#world;
    for (const hook of this.#hooks) {
      hook.mode = 'up';
      await this.#world.execute("UPDATE webhook SET status = 'active' WHERE id = $1", hook.id);
    }
    await expect
      .poll(async () => {
        this.#world.passedMs += 8 * 3600_000 + 1;
        return database.all(readOpen, accountId);
      })
      .toEqual([]);
    await Promise.all(this.#instances.map((instance) => instance.stop()));
    expect(this.#problems).toEqual([]);
    for (const { id, expected, accepted } of this.#hooks) {
      expect(await this.#world.states(id)).toEqual(expected.map(() => 'delivered'));
      for (const key of new Set(expected.map((one) => one.key))) {
        const own = expected.filter((one) => one.key === key).map((one) => one.id);
        const arrived = accepted.filter((one) => own.includes(one));
        expect(this.#mayRepeat ? [...new Set(arrived)] : arrived).toEqual(own);
      }
    }
  }
}

/** Applies random steps to a service with one instance (SQLite) or two, and compares what receivers accepted with a list in memory. */
export function comparesDeliveriesWithTwin({ runs, steps, timeoutMs }: { runs: number; steps: number; timeoutMs: number }): void {
  onBothDatabases('the deliverer', (open, dialect) => {
    it(
      'W1 W3: delivers every event in the order of its key, once unless a response or an instance is lost',
      async () => {
        const database = await open();
        const property = fc.asyncProperty(fc.array(step, { maxLength: steps, size: 'max' }), async (taken) => {
          const twin = await Twin.begin(database, dialect);
          for (const one of taken) await twin.apply(one);
          await twin.finish();
        });
        await fc.assert(property, { numRuns: runs, endOnFailure: true });
      },
      timeoutMs,
    );
  });
}
