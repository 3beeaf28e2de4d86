import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { CONFIRMATIONS } from '../../src/core/rates/agreement.ts';
import { createRates, parseRateProviders } from '../../src/core/rates/rates.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';
import { loopbackOutbound } from './rate-source.ts';

const BASE = 60_000;
const MINUTES = 90;

/** What the liars do in a minute. They know the rate and the honest price, and decide which honest providers are silent. */
interface Minute {
  readonly strategy: 'step' | 'leap' | 'near honest' | 'anything' | 'repeat';
  readonly size: number;
  readonly silent: number;
}

const minute: fc.Arbitrary<Minute> = fc.record({
  strategy: fc.constantFrom('step', 'step', 'leap', 'near honest', 'anything', 'repeat'),
  size: fc.double({ min: 0, max: 1, noNaN: true }),
  silent: fc.integer({ min: 0, max: 511 }),
});
const attack = fc.record({ isUp: fc.boolean(), minutes: fc.array(minute, { minLength: MINUTES, maxLength: MINUTES }) });

type Attack = typeof attack extends fc.Arbitrary<infer T> ? T : never;

const removeRates = statement('test_remove_rates', 'DELETE FROM market_rate');

interface Network {
  readonly honest: number;
  readonly liars: number;
}

interface Accepted {
  readonly rate: number;
  readonly rateAt: number;
}

/** Returns the rate after each minute of an attack; undefined while there is none. */
async function attackRates(database: Database, { honest, liars }: Network, { isUp, minutes }: Attack): Promise<(Accepted | undefined)[]> {
  await database.transaction((tx) => tx.run(removeRates));
  const clock = { seconds: 1_000_000, nowMs: () => clock.seconds * 1000 };
  const outbound = loopbackOutbound();
  let prices: (number | undefined)[] = [];
  outbound.getJson = async (url) => {
    const price = prices[Number(new URL(url).host.split('.')[0])];
    return price === undefined ? { status: 503, body: {} } : { status: 200, body: { price: price.toFixed(4) } };
  };
  const names = Array.from({ length: honest + liars }, (_, index) => `https://${index}.example/{currency}#price`);
  const fiat = { providers: parseRateProviders(names.join(' ')), currencies: ['EUR'], refreshSeconds: 60, maxAgeSeconds: 600 };
  const rates = createRates({ database, alerts: createAlerts(database, clock, silentLog), outbound, clock, fiat });
  const seen: (Accepted | undefined)[] = [];
  let lie = BASE;
  for (const [index, { strategy, size, silent }] of minutes.entries()) {
    const price = BASE * (1 + 0.01 * Math.abs(Math.sin(index)));
    const current = seen.at(-1)?.rate ?? price;
    const move = (factor: number) => (isUp ? current * factor : current / factor);
    if (strategy === 'step') lie = move(1 + 0.03 * size);
    else if (strategy === 'leap') lie = move(1.5 - 0.02 * size);
    else if (strategy === 'near honest') lie = isUp ? price * 1.029 : price / 1.03;
    else if (strategy === 'anything') lie = BASE * 10 ** (4 * size - 2);
    prices = names.map((_, provider) => (provider < liars ? lie : silent & (1 << provider) ? undefined : price));
    clock.seconds += 60;
    await rates.refresh(new AbortController().signal);
    const rate = (await rates.list())[0]?.rate;
    seen.push(rate && { rate: Number(rate.rate), rateAt: rate.rate_at });
  }
  return seen;
}

onBothDatabases('lying providers', (open, dialect) => {
  const numRuns = dialect === 'sqlite' ? 10 : 2;

  it('move the rate no further than 5 % from the honest prices, ever, if they are at most half of all', async () => {
    const database = await open();
    const networks = fc
      .integer({ min: 1, max: 4 })
      .chain((liars) => fc.record({ liars: fc.constant(liars), honest: fc.integer({ min: liars, max: 5 }) }));
    await fc.assert(
      fc.asyncProperty(networks, attack, async (network, how) => {
        for (const one of await attackRates(database, network, how))
          if (one !== undefined) expect(Math.abs(one.rate / BASE - 1)).toBeLessThan(0.05);
      }),
      { numRuns, endOnFailure: true },
    );
  });

  it('move the rate by less than half in an hour, unless they repeat a price five times, if they are a majority', async () => {
    const database = await open();
    const networks = fc
      .integer({ min: 1, max: 5 })
      .chain((liars) => fc.record({ liars: fc.constant(liars), honest: fc.integer({ min: 0, max: liars - 1 }) }));
    await fc.assert(
      fc.asyncProperty(networks, attack, async (network, how) => {
        const rates = await attackRates(database, network, how);
        rates.forEach((one, end) => {
          for (let begin = Math.max(0, end - 59); begin < end; begin++) {
            const before = rates[begin];
            if (one === undefined || before === undefined) continue;
            const isFar = one.rate >= 1.5 * before.rate || one.rate <= before.rate / 1.5;
            // While a price waits for its confirmation, the rate gets older.
            const waited = rates
              .slice(Math.max(0, begin - CONFIRMATIONS), end)
              .some(
                (_, at, all) =>
                  all.slice(at, at + CONFIRMATIONS).filter((other) => other?.rateAt === all[at]?.rateAt).length === CONFIRMATIONS,
              );
            expect(!isFar || waited).toBe(true);
          }
        });
      }),
      { numRuns, endOnFailure: true },
    );
  });
});
