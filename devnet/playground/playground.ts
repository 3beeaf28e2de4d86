import type { Log } from '../../src/kernel/log.ts';
import type { TestNetwork } from '../../src/lightning/test-network.ts';
import { connectTestNetwork } from './connect.ts';
import { Supervisor } from './supervisor.ts';

export interface PlaygroundOptions {
  /** Holds `playground.db`, which only one process may use at a time. */
  readonly dataDir: string;
  readonly log: Log;
  /** Another worker file, for tests of its failure. */
  readonly worker?: URL;
}

/**
 * Opens the playground of a directory, or creates it: three LDK nodes (`hub`, which is ours, `alice` and `carol`) with channels of 50 BTC on a
 * private regtest chain. Its state survives a kill of the process at any moment. `node.close()` ends it.
 * @throws when it cannot start, for example because another process uses the directory.
 */
export async function openPlayground(options: PlaygroundOptions): Promise<TestNetwork> {
  const { dataDir, log, worker = new URL('./worker.ts', import.meta.url) } = options;
  const supervisor = new Supervisor({ dataDir, log, worker });
  await supervisor.start();
  return connectTestNetwork(supervisor, log);
}
