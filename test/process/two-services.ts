import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { DEFAULT_NODE } from '../../devnet/playground/node-name.ts';
import { type PlaygroundServer, servePlayground } from '../../devnet/playground/server.ts';
import { playgroundUrl } from '../../devnet/playground/shared.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import type { Client } from '../support/client.ts';
import { freshUrls, silentLog } from '../support/ledger.ts';
import { processSettings, type ServiceProcess, startProcess } from '../support/process.ts';

/** A service with its own ledger, node and domain, as a process. */
export interface SeparateService {
  readonly client: Client;
  readonly settings: Record<string, string>;
  /** The domain of its addresses. */
  readonly domain: string;
  readonly process: ServiceProcess;
}

/** Two services on one playground. */
export interface TwoServices {
  bank(): SeparateService;
  shop(): SeparateService;
  /** Sends SIGKILL to a service and starts it again on the same data. */
  killAndRestart(service: () => SeparateService): Promise<void>;
}

const HOSTS = { bank: '127.0.0.1', shop: 'localhost' } as const;

/** Starts the services before the tests of the suite, and kills them afterwards. */
export function startTwoServices(dialects: Readonly<Record<keyof typeof HOSTS, Dialect>>): TwoServices {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-services-'));
  const urls = { bank: freshUrls(dialects.bank), shop: freshUrls(dialects.shop) };
  const running = new Map<string, SeparateService>();
  const start = async (name: string, settings: Record<string, string>): Promise<void> => {
    const process = await startProcess(settings);
    const domain = new URL(settings.PUBLIC_URL ?? '').host;
    running.set(name, { client: process.client, settings, domain, process });
  };
  const service = (name: string) => () => running.get(name) as SeparateService;

  let playground: PlaygroundServer;
  beforeAll(async () => {
    const address = { host: '127.0.0.1', secret: 'of two services in a test' };
    playground = await servePlayground({ ...address, port: 0, dataDir: join(folder, 'net'), log: silentLog });
    const url = playgroundUrl({ ...address, port: playground.port, node: DEFAULT_NODE });
    for (const name of ['bank', 'shop'] as const) {
      const own = await processSettings(join(folder, name), await urls[name]());
      await start(name, {
        ...own,
        LIGHTNING_URL: name === 'bank' ? url : `${url}&node=${name}`,
        PUBLIC_URL: `http://${HOSTS[name]}:${own.PORT}`,
        OUTBOUND_ALLOW: Object.values(HOSTS).join(),
      });
    }
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map(({ process }) => process.kill()));
    await playground.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    bank: service('bank'),
    shop: service('shop'),
    async killAndRestart(killed) {
      const { settings, process } = killed();
      await process.kill();
      const [name = ''] = [...running].find(([, one]) => one.settings === settings) ?? [];
      await start(name, settings);
    },
  };
}
