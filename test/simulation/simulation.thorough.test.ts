import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FaultRates } from '../../devnet/fake/faults.ts';
import type { ProfileName } from '../../devnet/fake/profile.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { operation } from './operations.ts';
import { Simulation } from './simulation.ts';

/*
 * Thousands of random operations with random faults and crashes, from a seed. By hand, as long as wanted:
 *
 *   SIMULATION_SEEDS=50 SIMULATION_OPERATIONS=2000 npx vitest run test/simulation
 *   SIMULATION_SEED=<the seed a failure printed> SIMULATION_PATH=<its path> npx vitest run test/simulation
 */
const env = process.env;
const seeds = Number(env.SIMULATION_SEEDS ?? 4);
const operations = Number(env.SIMULATION_OPERATIONS ?? 250);
const replay = env.SIMULATION_SEED ? { seed: Number(env.SIMULATION_SEED), path: env.SIMULATION_PATH ?? '' } : {};

const rate = fc.constantFrom(0, 0, 0.02, 0.1, 0.25);
const rates: fc.Arbitrary<Partial<FaultRates>> = fc.record({
  loseCall: rate,
  loseAnswer: rate,
  unavailable: rate,
  delay: rate,
  slow: rate,
  fail: rate,
  duplicate: rate,
  reorder: rate,
  breakWatch: rate,
  stale: rate,
  lateSuccess: fc.constantFrom(0, 0, 0.1),
});

const behaves: fc.Arbitrary<ProfileName> = fc.constantFrom('ideal', 'lnd', 'cln');

onBothDatabases('simulation', (open, dialect) => {
  // PostgreSQL runs in another process and takes longer.
  const length = dialect === 'sqlite' ? operations : Math.ceil(operations / 2);

  it(`P1: ${seeds} × ${length} operations with faults and crashes: no money is lost or created, and in the end the ledger agrees with each of one to three nodes and with the outside nodes`, async () => {
    let count = 0;
    const history = fc.record({
      // The software and the faults of each node.
      nets: fc.array(fc.record({ seed: fc.nat(), rates, behaves }), { minLength: 1, maxLength: 3, size: 'max' }),
      steps: fc.array(operation, { minLength: length, maxLength: length, size: 'max' }),
    });
    const property = fc.asyncProperty(history, async ({ nets, steps }) => {
      const simulation = await Simulation.begin(await open(), nets);
      for (const step of steps) await simulation.step(step);
      await simulation.end();
      count += steps.length;
    });
    await fc.assert(property, {
      numRuns: seeds,
      interruptAfterTimeLimit: 3_600_000,
      verbose: false,
      endOnFailure: env.SIMULATION_SHRINK === undefined,
      ...replay,
    });
    expect(count).toBe(seeds * length);
  }, 3_600_000);
});
