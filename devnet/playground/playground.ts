import type { Log } from '../../src/kernel/log.ts';
import type { TestNetwork } from '../../src/lightning/test-network.ts';
import { attach } from './carrier.ts';
import { Supervisor } from './supervisor.ts';

export interface PlaygroundOptions {
  /** Holds `playground.db`, which only one process may use at a time. */
  readonly dataDir: string;
  readonly log: Log;
  /** Another worker file, for tests of what happens when it breaks. */
  readonly worker?: URL;
}

/**
 * Opens the playground, and makes it when the directory has none: three LDK nodes (`hub`, which is ours, `alice`, `carol`) with channels of
 * 50 BTC on a private regtest chain. Its state survives the end of the process at any moment. `node.close()` ends it.
 * @throws when it cannot start, for example because another process uses the directory.
 */
export async function openPlayground(options: PlaygroundOptions): Promise<TestNetwork> {
  const { dataDir, log, worker = new URL('./worker.ts', import.meta.url) } = options;
  const supervisor = new Supervisor({ dataDir, log, worker });
  const { playground, listener } = attach(supervisor, log);
  await supervisor.start(listener);
  return playground;
}
