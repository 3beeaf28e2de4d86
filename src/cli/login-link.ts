import type { Command } from 'commander';
import { createsAccountSecret } from './account-secret.ts';
import { moment } from './table.ts';
import { verb } from './verb.ts';

/** `satchel login-link`: creates a setup link for an account. */
export function addLoginLink(program: Command): void {
  const command = verb(program, {
    name: 'login-link',
    summary: 'Create a link to set e-mail and password of an account',
    details:
      'It works once; an earlier link stops working. It is created in the database, for when no login is left. Verify first who requests it.',
    example: 'login-link acc_…',
  });
  createsAccountSecret(command, 'link', async () => {
    const [{ readConfig }, { replaceSetupLink, setupUrl }, { systemClock }] = await Promise.all([
      import('../config.ts'),
      import('../core/accounts/setup-links.ts'),
      import('../core/kernel/clock.ts'),
    ]);
    return async (database, accountId) => {
      const link = await replaceSetupLink(database, systemClock, accountId);
      if (!link) return undefined;
      const secret = setupUrl(readConfig(process.env).publicUrl, link.token);
      const notice = `A link to set e-mail and password of ${accountId}, shown this once. It expires at ${moment(link.expiresAt)}.`;
      return { notice, secret, json: { setup_url: secret, setup_expires_at: link.expiresAt } };
    };
  });
}
