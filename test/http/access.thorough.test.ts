import { onFakeNode } from '../support/app.ts';
import { testPermissions } from './access/permissions.ts';

/** Each row of the table creates two. */
const MANY_KEYS = { MAX_ACTIVE_KEYS: '1000' };

onFakeNode(
  'permissions of each credential on the other path of wallets',
  (app) => {
    testPermissions(app, '/v1/user/wallet');
  },
  MANY_KEYS,
);
