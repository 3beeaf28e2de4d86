import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openLnd } from '../../../src/core/lightning/lnd/lnd-node.ts';
import { silentLog } from '../../support/ledger.ts';
import { nodeContract } from '../contract.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from './regtest.ts';
import { regtestControl } from './regtest-control.ts';

const binaries = regtestBinaries();
const QUIET_MS = 500;

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

  /** LND reports a payment as ended before its channel is updated. Waits until the channels of hub no longer change. */
  async function untilQuiet(): Promise<void> {
    const updates = async () => {
      const { channels } = await network.hub.call<{ channels: { num_updates: string }[] }>('GET', '/v1/channels');
      return channels.map((channel) => channel.num_updates).join();
    };
    for (let before = '', now = await updates(); now !== before; now = await updates()) {
      before = now;
      await delay(QUIET_MS);
    }
  }

  // A payment that the receiver holds is reported as pending after this wait.
  const timing = { waitMs: 3000 };
  nodeContract('LND', {
    async open() {
      const node = openLnd({ url: network.hub.url(macaroon), log: silentLog, timing });
      const balance = () => untilQuiet().then(() => node.balance());
      return { node: { ...node, balance }, control };
    },
  });
});
