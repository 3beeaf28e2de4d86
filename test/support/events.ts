import { expect } from 'vitest';
import type { Client, Json } from './client.ts';

/** Reads a list of events from its start to its end, with pages of a size. */
export async function eventsOf(client: Client, path = '/v1/events', perPage = 500): Promise<Json[]> {
  const events: Json[] = [];
  const [base, filter = ''] = path.split('?');
  for (let query = `?per-page=${perPage}&${filter}`; ; ) {
    const response = await client.request('GET', `${base}${query}`, { key: client.secretKey });
    expect(response.status, response.text).toBe(200);
    events.push(...response.body);
    const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    if (next === undefined) return events;
    query = next;
  }
}

export function eventsOfWallet(client: Client, { id }: { readonly id: string }): Promise<Json[]> {
  return eventsOf(client, `/v1/wallet/${id}/events`);
}

export const nameOf = (event: Json): string => event.event.name;

/** Returns the names of a wallet's events, the oldest first, without that of its creation. */
export async function namesOfWallet(client: Client, wallet: { readonly id: string }): Promise<string[]> {
  const [created, ...others] = (await eventsOfWallet(client, wallet)).map(nameOf);
  expect(created).toBe('wallet_created');
  return others;
}

/** Returns the events of a wallet about a payment or invoice, the oldest first. */
export async function eventsAbout(client: Client, wallet: { readonly id: string }, lightningId: string): Promise<Json[]> {
  return (await eventsOfWallet(client, wallet)).filter(({ data }) => (data.lnTx ?? data.wtx?.lnTx)?.id === lightningId);
}
