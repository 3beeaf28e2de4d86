import { api, type Contact } from './client.ts';
import { type Resource, useResource } from './resource.ts';

/** The most that an account has. */
const MAX = 1000;
const PER_PAGE = 100;

/** All contacts of the account, by name. */
export function useContacts(): Resource<Contact[]> {
  return useResource('contacts', readAll);
}

async function readAll(signal: AbortSignal): Promise<Contact[]> {
  const all: Contact[] = [];
  while (all.length < MAX) {
    const after = all.at(-1)?.id;
    const page = await api.contacts.list({ 'per-page': PER_PAGE, ...(after !== undefined && { after }) }, { signal });
    all.push(...page);
    if (page.length < PER_PAGE) break;
  }
  return all.sort((one, other) => one.name.localeCompare(other.name));
}
