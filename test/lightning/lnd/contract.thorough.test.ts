import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openLnd } from '../../../src/lightning/lnd/lnd-node.ts';
import { silentLog } from '../../support/ledger.ts';
import { nodeContract } from '../contract.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();

describe('a real LND', () => {
  if (!binaries) {
    it('is not tested', ({ skip }) => skip(WITHOUT_BINARIES));
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'satchel-regtest-'));
  let network: RegtestNetwork;
  let macaroon = '';
  let control: ReturnType<typeof regtestControl>;

  beforeAll(async () => {
    network = await RegtestNetwork.start(binaries, directory);
    control = regtestControl(network);
    macaroon = await network.hub.bakeMacaroon();
  }, 240_000);

  afterAll(async () => {
    await network?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  // A payment that the receiver holds is reported as pending after this wait.
  const timing = { waitMs: 3000 };
  nodeContract('LND', { open: async () => ({ node: openLnd({ url: network.hub.url(macaroon), log: silentLog, timing }), control }) });
});
