import { satchel } from '../command';
import { sdk } from '../sdk';

/** Lets a restored service send money again. */
export const acceptRestore = sdk.Action.withoutInput(
  'accept-restore',
  {
    name: 'Accept restore',
    description: 'After a restore: let Satchel send money again. The dashboard shows what it has read back from LND, and what is lost.',
    warning: 'Keys and links that were revoked or used since the backup work again. Revoke them first.',
    allowedStatuses: 'only-running',
    group: null,
    visibility: 'enabled',
  },
  async ({ effects }) => {
    const message = await satchel(effects, 'restore', 'accept', '--yes', '--reason', 'accepted in StartOS');
    return { version: '1', title: 'Restore accepted', message, result: null };
  },
);
