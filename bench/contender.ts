import type { Dialect } from '../src/core/db/database.ts';
import { UNLIMITED } from './fake-service.ts';
import type { Run } from './run.ts';
import { startService } from './service-process.ts';
import { perSecond } from './sides.ts';
import { type FundedService, post } from './wallet-requests.ts';

const WALLETS = 1000;
const SATOSHIS = 1_000_000;
const AT_ONCE = 32;

/** The service of a clone as a process on the fake node, with a thousand funded wallets of one account. Disposal ends it and deletes its data. */
export interface Contender extends FundedService, AsyncDisposable {
  readonly port: number;
}

/** Starts the service of a clone, by default this one. It is set up through the API alone, which is the same in all versions. */
export async function startContender(run: Run, dialect: Dialect, clone?: string): Promise<Contender> {
  await using stack = new AsyncDisposableStack();
  const database = await run.emptyDatabase(dialect);
  stack.defer(() => database.remove());
  const secretKey = `sak_${'comparedKey'.repeat(3)}`;
  const own = { DATA_DIR: run.folder(), DATABASE_URL: database.url, BOOTSTRAP_SECRET_KEY: secretKey };
  const { port, url } = stack.use(await startService({ ...own, ...UNLIMITED }, clone));

  const api = { url, secretKey };
  const wallets: string[] = [];
  await perSecond(WALLETS, AT_ONCE, async () => {
    const { id } = await post<{ id: string }>(api, '/v1/wallet', { user_label: 'compared' });
    await post(api, '/playground/fund', { wallet_id: id, num_satoshis: SATOSHIS });
    wallets.push(id);
  });
  const resources = stack.move();
  return { port, url, secretKey, wallets, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
