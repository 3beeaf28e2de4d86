import { api, type Contact } from './client.ts';
import { type Resource, useResource } from './resource.ts';

/** All contacts of the account, by name. The service limits their number. */
export function useContacts(): Resource<Contact[]> {
  return useResource('contacts', readAll);
}

async function readAll(signal: AbortSignal): Promise<Contact[]> {
  const all: Contact[] = [];
  for await (const contact of api.contacts.list({ 'per-page': 100 }, { signal })) all.push(contact);
  return all.sort((one, other) => one.name.localeCompare(other.name));
}
