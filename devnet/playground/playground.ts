import type { TestNetwork } from '../test-network.ts';
import { connectTestNetwork } from './connect.ts';
import { DEFAULT_NODE } from './node-name.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

/**
 * Opens the playground of a directory, or creates it: three LDK nodes (`hub`, which is ours, `alice` and `carol`) with channels of 50 BTC on a
 * private regtest chain. Its state survives a kill of the process at any moment. `node.close()` ends it.
 * @throws when it cannot start, for example because another process uses the directory.
 */
export async function openPlayground(options: SupervisorOptions): Promise<TestNetwork> {
  const supervisor = new Supervisor(options);
  await supervisor.start();
  const transport = { call: supervisor.callTo(DEFAULT_NODE), close: () => supervisor.close() };
  return connectTestNetwork(transport, DEFAULT_NODE, options.log);
}
