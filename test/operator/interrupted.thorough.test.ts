import { expect, it } from 'vitest';
import { findAction } from '../../src/features/operator/actions.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { execute, operatorOn } from './operator-on.ts';

/** More commits than an action needs. */
const COMMITS = 10;

onBothDatabases('an operator action whose commits fail', (open) => {
  it.each([
    ['credit', 'refused'],
    ['credit', 'written, unknown'],
    ['credit', 'not written, unknown'],
    ['return', 'refused'],
    ['return', 'written, unknown'],
    ['return', 'not written, unknown'],
  ] as const)('C2: a %s moves the money once, although any one of its commits is %s', async (kind, fails) => {
    const rig = await operatorOn(await open());
    for (let commit = 1; commit <= COMMITS; commit++) {
      const { subject, target } = await rig.unmatched(kind, 20_000);
      const before = await rig.suspenseMsat();
      const action = await rig.request({ kind, subject, target });
      rig.database.failAt({ commit, fails });
      for (let tries = 0; tries < 20; tries++) {
        const now = await findAction(rig.healthy, action.id);
        if (now && now.state !== 'done') await execute(rig.deps, now).catch(() => undefined);
        await rig.settle();
      }
      rig.database.failAt();
      expect(await findAction(rig.healthy, action.id), `commit ${commit}`).toMatchObject({ state: 'done' });
      expect(before - (await rig.suspenseMsat()), `commit ${commit}`).toBe(kind === 'credit' ? 20_000 : 15_000);
    }
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });
});
