import { hash } from 'node:crypto';
import { ID_LENGTH, isId } from '../kernel/ids.ts';

/** The side of a ledger transfer that a wallet transaction shows: `from` (money leaves) or `to` (money arrives). */
export type Side = 'from' | 'to';

export const SIDE_LETTER = { from: 'o', to: 'i' } as const;

/** Returns the id of a wallet transaction, which derives from the ledger transfer and the side. */
export function walletTransactionId(transferId: string, side: Side): string {
  return `wtx_${transferId}${SIDE_LETTER[side]}`;
}

/** Returns what stands for the payment hash of a transfer between wallets, which has none: the SHA-256 of the `wtx_…` id, in hex. */
export function transferHash(id: string): string {
  return hash('sha256', id, 'hex');
}

/** Parses a `wtx_…` id; undefined if it is malformed. */
export function parseWalletTransactionId(id: string): { transferId: string; side: Side } | undefined {
  const letter = id.at(-1);
  if (!isId(id) || !id.startsWith('wtx_') || id.length !== 'wtx_'.length + ID_LENGTH + 1 || (letter !== 'o' && letter !== 'i'))
    return undefined;
  return { transferId: id.slice('wtx_'.length, -1), side: letter === 'o' ? 'from' : 'to' };
}
