import { replaceLostKey } from '../core/accounts/keyring.ts';
import { systemClock } from '../core/kernel/clock.ts';
import { runAccountSecretCommand } from './account-secret.ts';

const USAGE = `npm run --silent new-key -- [acc_…]

Creates a secret API key without limits for an account whose keys are lost, while the service may run. Prints the key once, to standard
output. The account may be omitted if there is only one. Verify first who requests the key: docs/operations.md.`;

runAccountSecretCommand({
  usage: USAGE,
  noun: 'key',
  async create(database, accountId) {
    const key = await replaceLostKey(database, systemClock, accountId);
    return (
      key && {
        notice: `A secret API key without limits for ${accountId}, shown this once; its id is ${key.id}.
Its owner should revoke the lost keys with it now: GET /v1/keys lists them, DELETE /v1/keys/<id> revokes one.`,
        secret: key.text,
      }
    );
  },
});
