import type { Log } from './core/kernel/log.ts';
import { openCln } from './core/lightning/cln/cln-node.ts';
import { isClnUrl } from './core/lightning/cln/url.ts';
import { openLnd } from './core/lightning/lnd/lnd-node.ts';
import { isLndUrl } from './core/lightning/lnd/url.ts';
import type { LightningNode } from './core/lightning/node.ts';
import type { PlaygroundControl, TestNetwork } from './core/lightning/test-network.ts';

/** An open node, and the control of its test network if it has one. */
export interface OpenedNode {
  readonly node: LightningNode;
  readonly playground?: PlaygroundControl | undefined;
}

export interface OpenNodeOptions {
  /** `lnd+rest://…`, `lndconnect://…`, `cln+unix://…`, `cln+rest://…`, `playground:`, `playground://host:port?secret=…`, `…&node=…`, or `fake:?seed=…`. */
  readonly lightningUrl: string;
  readonly dataDir: string;
  readonly log: Log;
}

/** Opens the node that LIGHTNING_URL names. `node.close()` ends it. */
export async function openNode(options: OpenNodeOptions): Promise<OpenedNode> {
  const { lightningUrl: url, log } = options;
  if (isLndUrl(url)) return { node: openLnd({ url, log }) };
  if (isClnUrl(url)) return { node: openCln({ url, log }) };
  const { node, control } = await openPlayed(options);
  return { node, playground: control };
}

/** Loads a network for development only when LIGHTNING_URL names it. */
async function openPlayed({ lightningUrl, dataDir, log }: OpenNodeOptions): Promise<TestNetwork> {
  if (lightningUrl === 'playground:') {
    const { openPlayground } = await import('../devnet/playground/playground.ts');
    return openPlayground({ dataDir, log });
  }
  if (lightningUrl.startsWith('fake:')) {
    const { openFake } = await import('../devnet/fake/open.ts');
    return openFake({ url: lightningUrl, dataDir, log });
  }
  const { openSharedPlayground } = await import('../devnet/playground/client.ts');
  return openSharedPlayground({ url: lightningUrl, log });
}
