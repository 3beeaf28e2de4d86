import { expect, vi } from 'vitest';
import type { FakeNodeApp } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

/** A wallet of the service as an outside app sees it: it follows the addresses of a link, without a key. */

export const OK = { status: 'OK' };

export function refused(reason: RegExp = /./): Json {
  return { status: 'ERROR', reason: expect.stringMatching(reason) };
}

/** Reads an address. LUD-01: statuses and headers have no meaning, but this service always returns 200 and JSON. */
export async function visit(url: string): Promise<Json> {
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)]);
  return response.json();
}

/** LUD-03, step 5: "<callback><?|&>k1=<k1>&pr=<lightning invoice>". */
export function claim({ callback, k1 }: { callback: string; k1: string }, pr: string, more = ''): Promise<Json> {
  return visit(`${callback}${callback.includes('?') ? '&' : '?'}k1=${k1}&pr=${pr}${more}`);
}

/** Both steps. Returns the error of the first step, if it has one. */
export async function claimAll(url: string, pr: string, more = ''): Promise<Json> {
  const offer = await visit(url);
  return offer.status === 'ERROR' ? offer : claim(offer, pr, more);
}

/** Creates a link with a number of uses, or a permanent one. */
export function linkOf({ client }: FakeNodeApp, wallet: TestWallet, fields: object, path = 'withdraw'): Promise<Json> {
  return client.post(`/v1/wallet/${wallet.id}/lnurl/${path}`, fields);
}

export function permanentLink(app: FakeNodeApp, wallet: TestWallet, fields: object): Promise<Json> {
  return linkOf(app, wallet, fields, 'withdraw-static');
}

/** Reads a link as its owner. */
export function readLink({ client }: FakeNodeApp, wallet: TestWallet, id: string): Promise<Json> {
  return client.get(`/v1/wallet/${wallet.id}/lnurl/withdraws/${id}`);
}

export async function revokeLink({ client }: FakeNodeApp, wallet: TestWallet, id: string): Promise<Json> {
  const response = await client.request('DELETE', `/v1/wallet/${wallet.id}/lnurl/withdraws/${id}`, { key: client.secretKey });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

export async function balancesOf({ client }: FakeNodeApp, wallet: TestWallet): Promise<Json> {
  const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
  return { balance_msat, pending_msat };
}

export async function untilNothingPending(app: FakeNodeApp, wallet: TestWallet): Promise<void> {
  await expect.poll(async () => (await balancesOf(app, wallet)).pending_msat).toBe(0);
}

const DAY_MS = 86_400_000;

/** The expiry of an invoice, in seconds, for tests that set the clock. */
export const MONTH = 30 * 86_400;

/** Sets the clock to a time after the present one. `vi.restoreAllMocks` sets it back. */
export function setClock(ms: number): void {
  vi.spyOn(Date, 'now').mockImplementation(() => ms);
}

/** Returns noon (UTC) of a day after today, so that a test does not pass midnight. */
export function noonIn(days: number): number {
  return Math.floor(Date.now() / DAY_MS) * DAY_MS + days * DAY_MS + DAY_MS / 2;
}
