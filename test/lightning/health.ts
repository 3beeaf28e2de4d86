import { expect } from 'vitest';
import type { FakeNodeApp } from '../support/app.ts';

/** Enough for a few looks at a node, in seconds. */
export const QUICK_HEALTH = { cannotSend: 2, notSynced: 2, inactive: 2 };

const WAIT = { timeout: 60_000 };

/** What a service says about the health of its node. */
export function healthOf(app: Pick<FakeNodeApp, 'client' | 'openAlerts'>) {
  const kinds = async () => (await app.openAlerts()).map(({ kind }) => kind);
  return {
    /** Returns the kinds of the open alerts. */
    kinds,
    untilAlerts: (...expected: string[]) => expect.poll(kinds, WAIT).toEqual(expect.arrayContaining(expected)),
    untilNone: (...gone: string[]) => expect.poll(async () => (await kinds()).filter((kind) => gone.includes(kind)), WAIT).toEqual([]),
    readiness: async (): Promise<string> => (await app.client.request('GET', '/readyz')).body.node,
  };
}
