import { expect, it } from 'vitest';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { secretHash } from '../../src/core/kernel/ids.ts';
import { insertChallenge } from '../../src/features/logins/lnurl-auth/signature.ts';
import { onBothDatabases } from '../support/ledger.ts';

onBothDatabases('challenges', (open) => {
  it('do not count towards the maximum once they have expired, even if older ones of another purpose are deleted first', async () => {
    const database = await open();
    let seconds = 1_700_000_000;
    const clock = { nowMs: () => seconds * 1000 };
    const accounts = createAccounts(database, clock);
    const keys = await accounts.bootstrap(newKeyText('secret_api'), async () => undefined);
    const account_id = (await accounts.find(keys?.secretKey ?? ''))?.accountId ?? '';
    let number = 0;
    const insert = (content: { purpose: 'login' } | { purpose: 'application'; account_id: string }, keptSeconds: number, max: number) => {
      const id = `challenge_${number++}`;
      const own = content.purpose === 'login' ? { ...content, token_hash: secretHash(id) } : content;
      const limits = { expirySeconds: 60, keptSeconds, max };
      const context = { clock, publicUrl: 'https://satchel.example' };
      return database.transaction(async (tx) => {
        const inserted = await insertChallenge(tx, context, { id, action: null, ...own }, limits);
        if (!inserted) throw new Error('too many');
      });
    };
    for (let i = 0; i < 101; i++) await insert({ purpose: 'application', account_id }, 100, 1000);
    for (let i = 0; i < 2; i++) await insert({ purpose: 'login' }, 200, 2);
    await expect(insert({ purpose: 'login' }, 200, 2)).rejects.toThrow('too many');
    seconds += 200;
    await expect(insert({ purpose: 'login' }, 200, 2)).rejects.toThrow('too many');
    seconds += 1;
    await insert({ purpose: 'login' }, 200, 2);
    await insert({ purpose: 'login' }, 200, 2);
    await expect(insert({ purpose: 'login' }, 200, 2)).rejects.toThrow('too many');
  });
});
