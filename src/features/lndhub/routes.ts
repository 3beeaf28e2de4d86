import type { App } from '../../http/app-type.ts';
import type { LndhubContext } from './context.ts';
import { invoiceRoutes } from './invoice-routes.ts';
import { listRoutes } from './list-routes.ts';
import { payRoutes } from './pay-routes.ts';
import { readRoutes } from './read-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/**
 * The LNDhub API, with which BlueWallet, Zeus, Alby and BTCPay use a wallet. All amounts are whole satoshis, rounded down, and fees rounded up, unless
 * a name ends in `_msat`. The errors of these paths have a form of their own, also while the API is off: BlueWallet takes any other JSON for a
 * paid invoice.
 */
export function lndhubRoutes(app: App, deps: LndhubContext): void {
  sessionRoutes(app, deps);
  readRoutes(app, deps);
  invoiceRoutes(app, deps);
  payRoutes(app, deps);
  listRoutes(app, deps);
}
