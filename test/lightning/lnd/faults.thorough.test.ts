import { faultSuite } from '../faults.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();
/** The channels of the node. */
const CHANNELS = 1;

/*
 *   LND_BIN=… BTCD_BIN=… LND_FAULTS=60 npx vitest run --project thorough test/lightning/lnd/faults
 */
faultSuite({
  software: 'LND',
  cannotRun: binaries ? undefined : WITHOUT_BINARIES,
  faults: Number(process.env.LND_FAULTS ?? 6),
  // A failure after an unclear request is final after five minutes. Payments are looked up every 30 seconds.
  quietMs: 7 * 60_000,
  async start(directory) {
    if (!binaries) throw new Error(WITHOUT_BINARIES);
    const network = await RegtestNetwork.start(binaries, directory);
    return {
      control: regtestControl(network),
      lightningUrl: network.hub.url(),
      restart: (how) => network.hub.restart(how === 'stop' ? 'SIGINT' : 'SIGKILL', CHANNELS),
      signal: (signal) => network.hub.signal(signal),
      stop: () => network.stop(),
    };
  },
});
