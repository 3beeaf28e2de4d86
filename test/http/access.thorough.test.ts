import { onFakeNode } from '../support/app.ts';
import { testPermissions } from './access/permissions.ts';

onFakeNode('permissions of each credential on the other path of wallets', (app) => {
  testPermissions(app, '/v1/user/wallet');
});
