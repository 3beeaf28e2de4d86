import type { T } from '@start9labs/start-sdk';
import { storeJson } from './fileModels/store.json';
import { sdk } from './sdk';

export const PORT = 4021;

/** The newest backups of the service. Its own backups are written there every hour. */
export const BACKUP_DIR = '/data/backups';

/** The files of LND belong to root. */
export const USER = 'root';

const LND = '/mnt/lnd';

/** The ids of the REST interface in LND's package. */
const LND_REST = { packageId: 'lnd', hostId: 'control', internalPort: 8080 };

export const dataMounts = sdk.Mounts.of().mountVolume({ volumeId: 'main', subpath: null, mountpoint: '/data', readonly: false });

export const mounts = dataMounts.mountDependency({
  dependencyId: 'lnd',
  volumeId: 'main',
  subpath: null,
  mountpoint: LND,
  readonly: true,
});

/** The settings of the service. Restarts it when one changes. @throws while LND has no address */
export async function settings(effects: T.Effects): Promise<Record<string, string>> {
  const rest = await sdk.host.getBridgeAddress(effects, LND_REST).const();
  if (!rest) throw new Error('LND has no address yet. Start it and unlock its wallet.');
  const publicUrl = await storeJson.read((store) => store.publicUrl).const(effects);
  const [cert, macaroon] = [`${LND}/tls.cert`, `${LND}/data/chain/bitcoin/mainnet/admin.macaroon`];
  return {
    LIGHTNING_URL: `lnd+rest://${rest}?cert=${cert}&macaroon=${macaroon}`,
    BACKUP_DIR,
    // StartOS terminates TLS.
    TRUST_PROXY: '1',
    ...(publicUrl ? { PUBLIC_URL: publicUrl } : {}),
  };
}
