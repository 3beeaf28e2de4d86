import { afterAll, beforeAll, describe, it } from 'vitest';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { METHODS } from '../../../src/core/lightning/cln/rpc.ts';
import { silentLog } from '../../support/ledger.ts';
import { nodeContract } from '../contract.ts';
import { canRunNodes, hasClnrest, type Regtest, startRegtest, WITHOUT_NODES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

// A payment that the receiver holds is reported as pending after this wait.
const timing = { waitMs: 3000, quietMs: 70_000, heartbeatMs: 2000 };

describe.each(['the Unix socket', 'clnrest'])('a real Core Lightning over %s', (transport) => {
  if (!canRunNodes || (transport === 'clnrest' && !hasClnrest)) {
    it('is not tested', ({ skip }) => skip(canRunNodes ? 'lightningd was built without clnrest' : WITHOUT_NODES));
    return;
  }
  let network: Regtest;
  let url: string;
  let control: ReturnType<typeof regtestControl>;

  beforeAll(async () => {
    network = await startRegtest();
    control = regtestControl(network);
    const { svc } = network.nodes;
    url = transport === 'clnrest' ? await svc.restUrl(METHODS) : svc.socketUrl();
  });

  afterAll(() => network?.stop());

  nodeContract('Core Lightning', { open: async () => ({ node: openCln({ url, log: silentLog, timing }), control }) });
});
