import type { SqlReader } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { eventRow } from '../../core/journal/events.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { type Action, ActionRefused } from './actions.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';

/** Returns whether the ledger has this node. */
export async function isNode(database: SqlReader, id: string): Promise<boolean> {
  return (await database.first(sql.findNodeState, id)) !== undefined;
}

/** Changes whether a node gets new wallets. Its wallets stay and work as before. */
export async function changeNode({ database, clock }: OperatorModules, { id, kind, subject }: Action): Promise<void> {
  const state = kind === 'drain' ? 'draining' : 'active';
  const answer = kind === 'drain' ? `${subject} gets no new wallets.` : `${subject} gets new wallets.`;
  await database.transaction(async (tx) => {
    if (!(await isNode(tx, subject))) throw new ActionRefused(`There is no node ${subject}.`);
    // Another instance may have executed it, and a later action may have changed the node since.
    if ((await tx.run(sql.endAction, id, 'done', answer, unixSeconds(clock))) !== 1) return;
    await tx.run(sql.changeNodeState, subject, state);
  });
}

/**
 * Moves a wallet to another node, which creates its invoices and sends its payments from then on. No money moves: its balance is in the ledger.
 * Its open invoices stay at the old node, and what is paid there is credited to the wallet. A payment that another instance starts within a
 * second is still sent from the old node, and ends there.
 */
export async function moveWallet({ database, clock }: OperatorModules, { id, subject, target }: Action): Promise<void> {
  const now = unixSeconds(clock);
  await database.transaction(async (tx) => {
    const wallet = await tx.first(sql.findWalletNode, subject);
    if (!wallet) throw new ActionRefused(`There is no wallet ${subject}.`);
    const node = await tx.first(sql.findNodeState, target);
    if (!node) throw new ActionRefused(`There is no node ${target}.`);
    if (node.state === 'draining') throw new ActionRefused(`${target} is draining. Activate it first, or choose another node.`);
    if (wallet.node_id === target) throw new ActionRefused(`${subject} is on ${target} already.`);
    if (wallet.pending > 0)
      throw new ActionRefused(`${subject} has pending payments (${wallet.pending}). Wait until they have ended, then move it.`);
    const answer = `${subject} was moved from ${wallet.node_id} to ${target}.`;
    if ((await tx.run(sql.endAction, id, 'done', answer, now)) !== 1) return;
    await tx.run(sql.moveWallet, subject, target, now);
    const owner = { ledgerAccount: wallet.ledger_account };
    await writeRows(tx, [eventRow(clock, { type: 'wallet_updated', owner, subject })]);
  });
}
