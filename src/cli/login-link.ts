import { readConfig } from '../config.ts';
import { replaceSetupLink, setupUrl } from '../core/accounts/setup-links.ts';
import { systemClock } from '../core/kernel/clock.ts';
import { runAccountSecretCommand } from './account-secret.ts';
import { moment } from './table.ts';

const USAGE = `npm run --silent login-link -- [acc_…]

Creates a link with which the owner of an account sets e-mail and password, once, while the service may run. Prints it to standard output. An
earlier link of the account stops working. The account may be omitted if there is only one. Verify first who requests the link:
docs/operations.md.`;

runAccountSecretCommand({
  usage: USAGE,
  noun: 'link',
  async create(database, accountId) {
    const link = await replaceSetupLink(database, systemClock, accountId);
    return (
      link && {
        notice: `A link to set e-mail and password of ${accountId}, shown this once. It expires at ${moment(link.expiresAt)}.`,
        secret: setupUrl(readConfig(process.env).publicUrl, link.token),
      }
    );
  },
});
