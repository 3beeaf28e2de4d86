import { globSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { failureList } from './test/support/failure-list.ts';

// A file named *.thorough.test.ts runs in `npm run test:thorough`, every other test file in `npm test`.
const THOROUGH = 'test/**/*.thorough.test.ts';

/** Where money moves, `npm test` runs on both databases. The other files run on PostgreSQL in `npm run test:thorough`. */
const MONEY = [
  'budgets',
  'db',
  'fees',
  'hold-invoices',
  'ledger',
  'limits',
  'payments',
  'reconcile',
  'recovery-log',
  'restore',
  'tasks',
].map((folder) => `test/${folder}/**/*.test.ts`);

/** The other files with suites that run on each database. */
const ON_EACH_DATABASE = globSync('test/**/*.test.ts', { cwd: import.meta.dirname, exclude: [THOROUGH, ...MONEY] }).filter((path) =>
  /\bon(FakeNode|BothDatabases|TwoFakeNodes|TwoNodes)\(/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
);

/** The files that take longest. They begin first, so that none of them runs alone in the end. */
const LONGEST = [
  'process/kill-matrix',
  'webhooks/deliveries.property',
  'web/axe',
  'scenarios/events.property',
  'http/database-outage',
  'openapi/conformance',
  'lnurl/two-services',
  'webhooks/kills',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.thorough.test.ts`));
    const others = (await super.sort(files)).filter((file) => rank(file) === -1);
    return [...files.filter((file) => rank(file) !== -1).sort((a, b) => rank(a) - rank(b)), ...others];
  }
}

const common = {
  pool: 'forks',
  // No test asserts on elapsed time. These limits only end a test that hangs.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 150_000 } },
} as const;

/** Loading the service for every file would double the processor time. So the files of a worker share modules and global state. */
const shared = { isolate: false } as const;

// Tests create hundreds of databases. On a disk, a copy of one takes ten times the processor time of a copy in memory.
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 8 * 2 ** 30;
if (freeBytes(MEMORY) > NEEDED_BYTES) process.env.TMPDIR ??= MEMORY;

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

// Tests start the service and its commands hundreds of times. With a cache of the compiled modules, a start takes half the processor time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'satchel');

/** The file to which failed tests are appended. CI prints it in the end. */
const failures = process.env.FAILURE_LIST;

export default defineConfig({
  test: {
    reporters: failures ? ['minimal', failureList(failures)] : ['default'],
    globalSetup: ['test/support/global-postgres.ts', 'test/support/global-dashboard.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          ...shared,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [THOROUGH, ...MONEY],
          provide: { dialects: ['sqlite'] },
        },
      },
      { test: { ...common, ...shared, name: 'money', include: MONEY, exclude: [THOROUGH], provide: { dialects: ['sqlite', 'postgres'] } } },
      { test: { ...common, ...shared, name: 'postgres', include: ON_EACH_DATABASE, provide: { dialects: ['postgres'] } } },
      {
        test: {
          ...common,
          ...shared,
          name: 'postgres-15',
          include: ['test/{db,ledger}/*.test.ts', 'test/upgrade/*.thorough.test.ts'],
          exclude: ['test/{db,ledger}/*.thorough.test.ts'],
          globalSetup: ['test/support/global-postgres-15.ts'],
          provide: { dialects: ['postgres'] },
        },
      },
      {
        test: {
          ...common,
          name: 'thorough',
          globalSetup: ['test/support/global-programs.ts'],
          include: [THOROUGH],
          provide: { dialects: ['sqlite', 'postgres'] },
        },
      },
    ],
  },
});
