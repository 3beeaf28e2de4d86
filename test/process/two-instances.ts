import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startChild } from '../devnet/playground/support/shared.ts';
import type { Client } from '../support/client.ts';
import { freshUrls } from '../support/ledger.ts';
import { processSettings, type ServiceProcess, startProcess } from '../support/process.ts';

/** The first or the second instance. */
export type Index = 0 | 1;

/** Two instances as processes, each with an address of its own. They share a database and a node: a node belongs to one ledger. */
export interface TwoInstances {
  /** The secret API key. */
  readonly key: string;
  readonly services: readonly ServiceProcess[];
  /** The settings of the first or the second one, for commands; once the tests run. */
  settings(index?: Index): Record<string, string>;
  /** Starts one that was killed. */
  startAgain(index: Index): Promise<void>;
  one(): Client;
  two(): Client;
}

/** Starts the instances before the tests of the suite, and kills them afterwards. */
export function startTwoInstances(more: Record<string, string> = {}): TwoInstances {
  const key = `sak_${'shared1Key2'.repeat(3)}`;
  const urls = freshUrls('postgres');
  const folder = mkdtempSync(join(tmpdir(), 'satchel-instances-'));
  const services: ServiceProcess[] = [];
  const settings: Record<string, string>[] = [];

  const node = startChild('src/cli/satchel.ts', ['playground'], {
    DATA_DIR: join(folder, 'node'),
    PLAYGROUND_PORT: '0',
    LOG_LEVEL: 'error',
  });
  beforeAll(async () => {
    const [, lightningUrl = ''] = await node.line(/LIGHTNING_URL='(.*)'/);
    const databaseUrl = await urls();
    for (const name of ['one', 'two']) {
      const own = await processSettings(join(folder, name), databaseUrl);
      const shared = { SECRET_KEY: 'ab'.repeat(32), ...more, LIGHTNING_URL: lightningUrl, BOOTSTRAP_SECRET_KEY: key };
      settings.push({ ...own, ...shared });
      services.push(await startProcess({ ...own, ...shared }));
    }
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  const settingsOf = (index: Index = 1) => settings[index] ?? {};
  return {
    key,
    services,
    settings: settingsOf,
    async startAgain(index) {
      services[index] = await startProcess(settingsOf(index));
    },
    one: () => services[0]?.client as Client,
    two: () => services[1]?.client as Client,
  };
}
