import { api, type FeeSchedule, type Limits } from '../api/client.ts';
import { type Resource, useResource } from '../api/resource.ts';

/** An account or a wallet, which may have fees and limits. */
export interface Owner {
  readonly kind: 'account' | 'wallet';
  readonly id: string;
  /** For people. */
  readonly name: string;
}

/** The methods of the client for an owner. */
export function apiOf({ kind }: Owner) {
  return kind === 'account' ? api.accounts : api.wallets;
}

/** The fees of an account, or those that apply to a wallet. */
export function useFees(owner: Owner): Resource<FeeSchedule> {
  return useResource(`fees ${owner.id}`, (signal) => apiOf(owner).getFees(owner.id, {}, { signal }));
}

export function useLimits(owner: Owner): Resource<Limits> {
  return useResource(`limits ${owner.id}`, (signal) => apiOf(owner).getLimits(owner.id, {}, { signal }));
}
