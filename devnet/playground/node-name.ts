import { PlaygroundRefusal } from '../test-network.ts';

/** The service node of a URL that names none. */
export const DEFAULT_NODE = 'hub';

/** The nodes that belong to no service. `carol` is reachable through `alice` only. */
export const OUTSIDE_NODES: readonly string[] = ['alice', 'carol'];

/** Each reserves 0.15 GB of WebAssembly memory, which is limited to 2 GiB. */
export const MAX_SERVICE_NODES = 4;

export const NODE_NAME_RULE =
  'the name of a node must be 1 to 32 lower-case letters, digits or hyphens that begin with a letter, and neither alice nor carol';

/** Returns whether a service node can have this name. */
export function isNodeName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}$/.test(text) && !OUTSIDE_NODES.includes(text);
}

/** @throws PlaygroundRefusal */
export function requireNodeName(text: string): void {
  if (!isNodeName(text)) throw new PlaygroundRefusal(NODE_NAME_RULE);
}
