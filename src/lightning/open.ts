import type { Log } from '../kernel/log.ts';
import type { LightningNode } from './node.ts';
import { openPlayground, type PlaygroundControl } from './playground/playground.ts';
import { openSharedPlayground } from './playground/shared.ts';

/** A node that is ready to be used; with the hand that moves the rest of its network, where there is one. */
export interface OpenedNode {
  readonly node: LightningNode;
  readonly playground?: PlaygroundControl | undefined;
}

export interface OpenNodeOptions {
  /** `playground:`, or `playground://host:port?secret=…`. */
  readonly lightningUrl: string;
  readonly dataDir: string;
  readonly log: Log;
}

/** Opens the node that LIGHTNING_URL names. `node.close()` ends it. */
export async function openNode({ lightningUrl, dataDir, log }: OpenNodeOptions): Promise<OpenedNode> {
  const { node, control } =
    lightningUrl === 'playground:' ? await openPlayground({ dataDir, log }) : await openSharedPlayground({ url: lightningUrl, log });
  return { node, playground: control };
}
