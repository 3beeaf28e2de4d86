import { api } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import type { Movement } from './balance-history.ts';

export interface BalanceHistory {
  /** Newest first, those of the period and maybe older ones. */
  readonly movements: readonly Movement[];
  /** What the wallet had with what was held, when they were read. */
  readonly bookedMsat: number;
  /** The list ends before the start of the period, because the wallet is busy. */
  readonly isCut: boolean;
}

const PER_PAGE = 100;
/** A busy wallet has more transactions than a browser should read. */
const MAX_PAGES = 15;
const EVERY_MS = 300_000;

/** Reads the settled transactions since a time in Unix seconds, at most 1 500. */
export function useBalanceHistory(id: string, days: number): Resource<BalanceHistory> {
  return useResource(`balance ${id} ${days}`, (signal) => readHistory(id, Date.now() / 1000 - days * 86_400, signal), {
    everyMs: EVERY_MS,
  });
}

async function readHistory(key: string, from: number, signal: AbortSignal): Promise<BalanceHistory> {
  const movements: Movement[] = [];
  let [bookedMsat, after] = [0, undefined as string | undefined];
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = {
      key,
      'per-page': PER_PAGE,
      fields: 'id,created_at,num_msat,balance_after_msat,wtxType.name',
      ...(after && { after }),
    };
    const items = await api.listWalletTransactions(request, { signal });
    if (page === 0) bookedMsat = items[0]?.balance_after_msat ?? 0;
    for (const { created_at = 0, num_msat = 0, wtxType } of items)
      movements.push({ at: created_at, msat: num_msat, isFee: wtxType?.name === 'network_fee' });
    const last = items.at(-1);
    if (!last || items.length < PER_PAGE || (last.created_at ?? 0) < from) return { movements, bookedMsat, isCut: false };
    after = last.id;
  }
  return { movements, bookedMsat, isCut: true };
}
