/** The nodes of the playground in the order of their line: `carol` is reachable through `alice` only. */
export const NODE_NAMES = ['hub', 'alice', 'carol'] as const;

export type NodeName = (typeof NODE_NAMES)[number];

/** A node that is not ours. */
export type OutsideName = Exclude<NodeName, 'hub'>;
