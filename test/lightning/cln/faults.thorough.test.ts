import { METHODS } from '../../../src/core/lightning/cln/rpc.ts';
import { faultSuite } from '../faults.ts';
import { canRunNodes, hasClnrest, restartNode, startRegtest, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

/*
 *   LIGHTNINGD_BIN=… BTCD_BIN=… CLN_FAULTS=50 npx vitest run --project thorough test/lightning/cln/faults
 */
faultSuite({
  software: 'Core Lightning',
  cannotRun: canRunNodes ? undefined : WITHOUT_NODES,
  faults: Number(process.env.CLN_FAULTS ?? 24),
  // A payment whose response was lost has failed after 70 seconds in which nothing is in flight. It is looked up every 30 seconds.
  quietMs: 3 * 60_000,
  async start(_directory, dialect) {
    const network = await startRegtest();
    const { svc } = network.nodes;
    return {
      control: regtestControl(network),
      lightningUrl: dialect === 'postgres' && hasClnrest ? await svc.restUrl(METHODS) : svc.socketUrl(),
      restart: (how) => restartNode(svc, how === 'stop' ? 'SIGTERM' : 'SIGKILL'),
      signal: (signal) => svc.signal(signal),
      stop: () => network.stop(),
    };
  },
});
