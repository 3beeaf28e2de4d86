import type { JobTiming } from '../../src/jobs.ts';

/** Short waits. No test asserts on time. */
export const FAST: JobTiming = { webhooks: { refreshMs: 20, pollMs: 10, flushMs: 5, timeoutMs: 5000 } };

/** Receivers on this machine may be reached. */
export const LOCAL = { OUTBOUND_ALLOW: '127.0.0.1' };
