import type { PlaygroundControl, TestNetwork } from '../devnet/test-network.ts';
import type { Log } from './core/kernel/log.ts';
import { openCln } from './core/lightning/cln/cln-node.ts';
import { isClnUrl } from './core/lightning/cln/url.ts';
import { openLnd } from './core/lightning/lnd/lnd-node.ts';
import { isLndUrl } from './core/lightning/lnd/url.ts';
import type { LightningNode } from './core/lightning/node.ts';
import { InvalidConfig } from './settings.ts';

/** An open node, and the control of its test network if it has one. */
export interface OpenedNode {
  readonly node: LightningNode;
  readonly playground?: PlaygroundControl | undefined;
}

export interface OpenNodeOptions {
  /** `lnd+rest://…`, `lndconnect://…`, `cln+unix://…`, `cln+rest://…`, `playground:`, `playground://host:port?secret=…`, `…&node=…`, or `fake:?seed=…`. */
  readonly lightningUrl: string;
  readonly dataDir: string;
  /** How long a node starts new attempts of a payment. Absent: the default of its adapter. */
  readonly attemptsSeconds?: number | undefined;
  readonly log: Log;
}

/** Opens the node that LIGHTNING_URL names. `node.close()` ends it. A network for development is loaded only when the URL names it. */
export async function openNode({ lightningUrl: url, dataDir, attemptsSeconds, log }: OpenNodeOptions): Promise<OpenedNode> {
  if (isLndUrl(url)) return { node: openLnd({ url, log, timing: { ...(attemptsSeconds !== undefined && { attemptsSeconds }) } }) };
  if (isClnUrl(url)) return { node: openCln({ url, log, attemptsSeconds }) };
  if (url === 'playground:') {
    requireLdk();
    return opened((await import('../devnet/playground/playground.ts')).openPlayground({ dataDir, log }));
  }
  if (url.startsWith('fake:')) return opened((await import('../devnet/fake/open.ts')).openFake({ url, dataDir, log }));
  return opened((await import('../devnet/playground/client.ts')).openSharedPlayground({ url, log }));
}

/** Servers with their own node omit the optional package of the playground. @throws InvalidConfig if it is missing */
function requireLdk(): void {
  try {
    import.meta.resolve('lightningdevkit');
  } catch {
    const remedy = 'Install it (`npm install lightningdevkit`), or set LIGHTNING_URL to a node.';
    throw new InvalidConfig(`LIGHTNING_URL=playground: needs the package lightningdevkit, which is not installed. ${remedy}`);
  }
}

async function opened(network: TestNetwork | Promise<TestNetwork>): Promise<OpenedNode> {
  const { node, control } = await network;
  return { node, playground: control };
}
