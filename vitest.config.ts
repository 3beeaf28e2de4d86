import { defineConfig } from 'vitest/config';
import { failureList } from './test/support/failure-list.ts';

// A file named *.thorough.test.ts runs in `npm run test:thorough`, every other test file in `npm test`.
const THOROUGH = 'test/**/*.thorough.test.ts';

const common = {
  pool: 'forks',
  // No test asserts on elapsed time. These limits only end a test that hangs.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
} as const;

/** The file to which failed tests are appended. CI prints it in the end. */
const failures = process.env.FAILURE_LIST;

export default defineConfig({
  test: {
    reporters: failures ? ['minimal', failureList(failures)] : ['default'],
    globalSetup: ['test/support/global-postgres.ts', 'test/support/global-dashboard.ts'],
    maxWorkers: 2,
    projects: [
      // Loading the service for every file would double the processor time. So the files of a worker share modules and global state.
      { test: { ...common, name: 'fast', isolate: false, include: ['test/**/*.test.ts'], exclude: [THOROUGH] } },
      { test: { ...common, name: 'thorough', include: [THOROUGH] } },
    ],
  },
});
