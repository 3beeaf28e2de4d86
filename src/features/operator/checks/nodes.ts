import { type Finding, fail, ok, warn } from './finding.ts';

/** What to do about a node that does not answer. */
export const START_NODE = 'Start the node, or correct its URL in LIGHTNING_URL.';

export interface CheckedNode {
  readonly name: string;
  readonly status: 'ready' | 'cannot_send' | 'unavailable';
  readonly reason: string | null;
  /** Null if the node does not report it. */
  readonly isSynced: boolean | null;
}

export function judgeNode({ name, status, reason, isSynced }: CheckedNode): Finding {
  const because = reason === null ? '' : `: ${reason.replace(/\.$/, '')}`;
  if (status === 'unavailable') return fail('node', `${name} does not answer${because}`, START_NODE);
  if (status === 'cannot_send') return fail('node', `${name} cannot send${because}`, 'Run `satchel node check`: it prints what to change.');
  if (isSynced === false) {
    const remedy = 'Wait until its Bitcoin node has caught up. Until then, payments can fail.';
    return warn('node', `${name} is not synchronized with the blockchain`, remedy);
  }
  return ok('node', `${name} answers${isSynced === true ? ' and is synchronized with the blockchain' : ''}`);
}

/** Judges what the active channels of a node can send and receive; nothing if that is unknown. */
export function judgeLiquidity(name: string, spendableMsat: number | null, receivableMsat: number | null): Finding[] {
  if (spendableMsat === null || receivableMsat === null) return [];
  const lacking = [
    ...(receivableMsat < 1000
      ? [
          warn(
            'liquidity',
            `${name} cannot receive over Lightning`,
            'Ask another node to open a channel to this node, or send payments from its channels.',
          ),
        ]
      : []),
    ...(spendableMsat < 1000
      ? [warn('liquidity', `${name} cannot send over Lightning`, 'Open a channel from this node, or receive payments over its channels.')]
      : []),
  ];
  return lacking.length > 0 ? lacking : [ok('liquidity', `${name} can send and receive over Lightning`)];
}
