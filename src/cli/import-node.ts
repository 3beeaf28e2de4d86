import type { Config } from '../config.ts';
import { withTimeout } from '../core/kernel/clock.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { openNode } from '../open-node.ts';
import { stderrLog } from './database.ts';

const ANSWER_MS = 30_000;

/** Returns the balance of the node with a public key in msat; undefined if no URL of LIGHTNING_URL leads to it, or if it does not answer. */
export async function nodeBalance({ lightningUrls, dataDir }: Config, pubkey: string): Promise<number | undefined> {
  for (const lightningUrl of lightningUrls) {
    try {
      const { node } = await openNode({ lightningUrl, dataDir, log: stderrLog });
      try {
        const late = () => new Error('it did not answer in time');
        if ((await withTimeout(ANSWER_MS, node.info(), late)).pubkey !== pubkey) continue;
        return (await withTimeout(ANSWER_MS, node.balance(), late)).localMsat;
      } finally {
        await node.close();
      }
    } catch (error) {
      stderrLog.warn({ reason: errorMessage(error) }, 'the balance of a node could not be read');
    }
  }
  return undefined;
}
