import { periodStart } from '../../../core/budgets/limits.ts';
import type { RowWrite } from '../../../core/db/row-write.ts';
import type { Statement } from '../../../core/db/statement.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { type Msat, msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { type ClaimPayment, type LinkUses, LinkUsesChanged } from '../../../core/payments/conclude.ts';
import type { Payment } from '../../../core/payments/payment.ts';
import * as sql from './withdraw-links.sql.ts';

/**
 * Returns the rows that take one use of a link, and reserve amount and fee limit within its daily limit. A claim counts on the day of its
 * payment, like a payment against the budget of a key.
 */
export function claimRows(link: sql.LinkRow, payment: Payment, feeLimitMsat: Msat): readonly RowWrite[] {
  const { id, createdAt, amountMsat, invoiceId } = payment;
  const day = periodStart('day', createdAt);
  // A payment between two wallets of this service has no routing fee.
  const reservedMsat = invoiceId === undefined ? msat(amountMsat + feeLimitMsat) : amountMsat;
  return [
    { statement: sql.claimUse, parameters: [link.id, createdAt], onMiss: used },
    { statement: sql.reserveDay, parameters: [link.id, day, reservedMsat, link.daily_limit_msat], onMiss: dayUsedUp },
    { statement: sql.insertClaim, parameters: [id, link.id, day, reservedMsat], onMiss: () => new Error('the claim was not stored') },
  ];
}

/** The rows that payments write when a claim ends. */
export const linkUses: LinkUses = {
  releaseUse: (claim) => [rowOf(claim, sql.releaseUse, [claim.linkId]), rowOf(claim, sql.releaseDay, [claim.id])],
  settleUse: (claim, spentMsat) => [rowOf(claim, sql.settleDay, [claim.id, spentMsat, claim.amountMsat])],
  async takeUse(database, claim) {
    const { id, linkId, amountMsat } = claim;
    const link = await database.first(sql.readUses, linkId);
    invariant(link, `withdraw link ${linkId} is gone`);
    const use = takenUse(linkId, link);
    const overused = use?.statement === sql.overuse ? link.overused + 1 : 0;
    return { overused, rows: (spentMsat) => [...(use ? [use] : []), rowOf(claim, sql.retakeDay, [id, spentMsat, amountMsat])] };
  },
};

/** Returns the row that takes a use again, or counts one beyond the link's uses; undefined for a permanent link. */
function takenUse(linkId: string, { uses_left, overused }: { uses_left: number | null; overused: number }): RowWrite | undefined {
  if (uses_left === null) return undefined;
  const onMiss = new LinkUsesChanged();
  if (uses_left > 0) return { statement: sql.takeUse, parameters: [linkId], onMiss };
  return { statement: sql.overuse, parameters: [linkId, overused], onMiss };
}

function rowOf({ id }: ClaimPayment, statement: Statement, parameters: RowWrite['parameters']): RowWrite {
  return { statement, parameters, onMiss: () => new Error(`the withdraw link of ${id} is gone`) };
}

function used(): Refusal {
  return new Refusal('link_unusable', 'This withdraw link has been used, or was revoked.');
}

export function dayUsedUp(): Refusal {
  return new Refusal('link_unusable', 'The daily limit of this withdraw link is used up. It is renewed at midnight UTC.');
}
