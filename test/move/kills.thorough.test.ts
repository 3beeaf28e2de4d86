import { randomInt } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { freshUrls, problemsOf } from '../support/ledger.ts';
import { runVerify } from '../support/process.ts';
import { hashesOf, opened } from './contents.ts';
import { moveWithKills } from './killed-move.ts';

const KILLS = 10;

onFakeNode('a move', (app, dialect) => {
  const { client } = app;
  const to = freshUrls(dialect === 'sqlite' ? 'postgres' : 'sqlite');

  beforeAll(async () => {
    const wallets = [await client.wallet(100_000), await client.wallet(100_000)];
    for (let i = 0; i < 40; i++)
      await client.post(`/v1/wallet/${wallets[i % 2]?.id}/transfer`, { dest_wallet_id: wallets[(i + 1) % 2]?.id, num_satoshis: 1 + i });
  });

  it('that is killed at random moments leaves at most one usable database, and ends with equal rows when it is repeated', async () => {
    const target = await to();
    const move = async () => {
      const from = app.databaseUrl;
      const before = await hashesOf(from);
      // A command that reads the database shows how fast this machine is.
      const startMs = performance.now();
      await runVerify({ DATA_DIR: app.dataDir, DATABASE_URL: from });
      const verifyMs = Math.ceil(performance.now() - startMs);
      await moveWithKills({ from, to: target, kills: KILLS, lifeMs: () => randomInt(verifyMs >> 1, (verifyMs * 5) >> 2) });
      expect(await hashesOf(target)).toEqual(before);
      expect(await opened(target, problemsOf)).toEqual([]);
    };
    await app.restart(move, { databaseUrl: () => target });
    await client.wallet(1);
    expect(await app.problems()).toEqual([]);
  });
});
