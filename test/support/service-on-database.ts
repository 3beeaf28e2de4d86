import type { FakeNetwork } from '../../devnet/fake/fake.ts';
import { type Satchel, startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { type Client, clientOf } from './client.ts';
import { freePort } from './free-port.ts';

/** DATA_DIR and DATABASE_URL, and others as needed. Without BOOTSTRAP_SECRET_KEY it has a new key. */
type Settings = Readonly<Record<string, string>> & { readonly DATA_DIR: string; readonly DATABASE_URL: string };

/** Starts the service in this process, with a node of a fake network, on a database that the test controls. The caller closes it. */
export async function startOnDatabase(
  net: FakeNetwork,
  settings: Settings,
  open: typeof openDatabase = openDatabase,
): Promise<{ satchel: Satchel; client: Client }> {
  const key = settings.BOOTSTRAP_SECRET_KEY ?? newKeyText('secret_api');
  const port = await freePort();
  const fixed = { PORT: String(port), LOG_LEVEL: 'silent', LIGHTNING_URL: 'fake:', BOOTSTRAP_SECRET_KEY: key };
  const satchel = await startSatchel(readConfig({ ...settings, ...fixed }), {
    openDatabase: open,
    openNode: async () => ({ node: net.connect(), playground: net.control }),
  });
  await satchel.server.listen({ host: '127.0.0.1', port });
  return { satchel, client: clientOf(`http://127.0.0.1:${port}`, key, satchel.newKeys?.publicKey ?? '') };
}
