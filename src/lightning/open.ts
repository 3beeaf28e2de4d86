import type { Log } from '../kernel/log.ts';
import { openFake } from './fake/open.ts';
import type { LightningNode } from './node.ts';
import { openPlayground, type Playground, type PlaygroundControl } from './playground/playground.ts';
import { openSharedPlayground } from './playground/shared.ts';

/** A node that is ready to be used; with the hand that moves the rest of its network, where there is one. */
export interface OpenedNode {
  readonly node: LightningNode;
  readonly playground?: PlaygroundControl | undefined;
}

export interface OpenNodeOptions {
  /** `playground:`, `playground://host:port?secret=…`, or `fake:?seed=…`. */
  readonly lightningUrl: string;
  readonly dataDir: string;
  readonly log: Log;
}

/** Opens the node that LIGHTNING_URL names. `node.close()` ends it. */
export async function openNode(options: OpenNodeOptions): Promise<OpenedNode> {
  const { node, control } = await openPlayed(options);
  return { node, playground: control };
}

async function openPlayed({ lightningUrl, dataDir, log }: OpenNodeOptions): Promise<Playground> {
  if (lightningUrl === 'playground:') return openPlayground({ dataDir, log });
  if (lightningUrl.startsWith('fake:')) return openFake({ url: lightningUrl, dataDir, log });
  return openSharedPlayground({ url: lightningUrl, log });
}
