import type { NodeConnection } from '../connection/connection.ts';
import type { SqlReader } from '../db/database.ts';
import { invariant } from '../kernel/assert.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard } from '../ledger/ledger.ts';
import { walletGuard } from '../wallets/wallets.ts';
import * as sql from './hold.sql.ts';

/** How many payments of hold invoices may be held at once. */
export interface HoldLimits {
  readonly perWallet: number;
  readonly perAccount: number;
  /** Per active channel of a node. A channel has 483 places for HTLCs in each direction. Source: BOLT 2, `max_accepted_htlcs`. */
  readonly perChannel: number;
}

/** Why a payment may not be held: it is returned to its payer. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld';
}

/** Returns the guards of a posting that holds a payment. They throw {@link NotHeld}. */
export function holdGuards({ walletId }: { readonly walletId: string }): Guard[] {
  const stopped = () => new NotHeld('hold invoices are stopped');
  const restricted = () => new NotHeld('the account of the wallet may not receive');
  return [
    { ...walletGuard(walletId, 'receive'), onMiss: restricted },
    { statement: sql.lockSwitch, id: 'all', onMiss: stopped },
  ];
}

/** Returns how many payments the node may hold. A node that reports no channel counts as one with a channel. */
export function maxAtNode({ perChannel }: HoldLimits, connection: NodeConnection): number {
  return perChannel * Math.max(connection.info()?.channels?.active ?? 1, 1);
}

/** Rejects a new hold invoice whose payment could not be held now. The posting that holds it counts again. @throws Refusal `too_many_holds` */
export async function requireBelowHoldLimits(
  database: SqlReader,
  limits: HoldLimits,
  wallet: { readonly id: string },
  connection: NodeConnection,
): Promise<void> {
  const held = await database.first(sql.countHeld, wallet.id);
  invariant(held, `wallet ${wallet.id} is gone`);
  const [owner, limit] =
    held.in_wallet >= limits.perWallet
      ? ['The wallet', limits.perWallet]
      : held.in_account >= limits.perAccount
        ? ['The account', limits.perAccount]
        : ['The Lightning node', maxAtNode(limits, connection)];
  if (owner === 'The Lightning node' && held.at_node < limit) return;
  throw new Refusal('too_many_holds', `${owner} holds ${limit} payments of hold invoices, the most at once. Settle or cancel some first.`);
}
