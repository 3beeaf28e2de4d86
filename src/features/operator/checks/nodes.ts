import { counted } from '../../../core/kernel/counted.ts';
import { satText } from '../../../core/kernel/money.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const START_NODE = 'Start the node, or correct its URL in LIGHTNING_URL.';

/** Returns what to do about a node that does not answer, from the reason. */
export function remedyFor(reason: string | null): string {
  if (reason?.includes('wallet locked')) return 'Unlock it: `lncli unlock`, or set wallet-unlock-password-file in lnd.conf.';
  if (reason?.includes('wallet not created')) return 'Create its wallet: `lncli create`.';
  if (reason?.includes('starting up') || reason?.includes('waiting to start')) return 'Wait until the node has started.';
  return START_NODE;
}

export interface CheckedNode {
  readonly name: string;
  readonly status: 'ready' | 'cannot_send' | 'unavailable';
  readonly reason: string | null;
  /** Null if the node does not report it. */
  readonly isSynced: boolean | null;
}

export function judgeNode({ name, status, reason, isSynced }: CheckedNode): Finding {
  const because = reason === null ? '' : `: ${reason.replace(/\.$/, '')}`;
  if (status === 'unavailable')
    return fail('node', `${name} ${reason?.includes('wallet locked') ? 'is locked' : 'does not answer'}${because}`, remedyFor(reason));
  if (status === 'cannot_send') return fail('node', `${name} cannot send${because}`, 'Run `satchel node check`: it prints what to change.');
  if (isSynced === false) {
    const remedy = 'Wait until its Bitcoin node has caught up. Until then, payments can fail.';
    return warn('node', `${name} is not synchronized with the blockchain`, remedy);
  }
  return ok('node', `${name} answers${isSynced === true ? ' and is synchronized with the blockchain' : ''}`);
}

/** Judges the held payments of a node that the ledger does not know; nothing if there are none. */
export function judgeUnknownHolds(name: string, amountsMsat: readonly number[]): Finding[] {
  if (amountsMsat.length === 0) return [];
  const sum = satText(amountsMsat.reduce((total, one) => total + one, 0));
  const remedy = 'Run `satchel held list`. Settle or cancel each before it expires, unless another program that uses the node owns it.';
  return [warn('node', `${name} holds ${counted(amountsMsat.length, 'payment')} that the ledger does not know (${sum})`, remedy)];
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
