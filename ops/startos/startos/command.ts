import type { T } from '@start9labs/start-sdk';
import { BACKUP_DIR, dataMounts, USER } from './container';
import { storeJson } from './fileModels/store.json';
import { sdk } from './sdk';

/** Runs a command on the data, for as long as it takes. Returns its output. @throws with its message */
export function satchel(effects: T.Effects, ...args: string[]): Promise<string> {
  return sdk.SubContainer.withTemp(effects, { imageId: 'satchel' }, dataMounts, 'satchel-command', async (container) => {
    const publicUrl = await storeJson.read((store) => store.publicUrl).once();
    const env = { BACKUP_DIR, ...(publicUrl ? { PUBLIC_URL: publicUrl } : {}) };
    const { exitCode, stdout, stderr } = await container.exec(['satchel', ...args], { env, user: USER }, null);
    if (exitCode !== 0) throw new Error(String(stderr).trim());
    return String(stdout).trim();
  });
}
