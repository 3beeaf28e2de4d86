import { createDecipheriv, createHash } from 'node:crypto';
import { expect } from 'vitest';
import { decodeLnurl } from '../../src/core/lightning/bech32.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import type { Json } from '../support/client.ts';

/*
 * A paying wallet that checks everything that the LUDs tell wallets to check. It shares only the decoders of bech32 and BOLT11 with the
 * service, which have tests with vectors of their own.
 */

/** Step 1 of LUD-06. */
export interface Terms {
  readonly callback: string;
  readonly minSendable: number;
  readonly maxSendable: number;
  readonly metadata: string;
  readonly commentAllowed?: number;
  readonly payerData?: Record<string, { mandatory: boolean }>;
}

export interface Bill {
  readonly pr: string;
  readonly verify: string;
  readonly successAction?: Json;
  readonly paymentHash: string;
}

export async function visit(url: string, headers: Record<string, string> = {}): Promise<Json> {
  const response = await fetch(url, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)]);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  return response.json();
}

export async function expectRefused(response: Promise<Json> | Json, reason: RegExp = /./): Promise<void> {
  expect(await response).toEqual({ status: 'ERROR', reason: expect.stringMatching(reason) });
}

/** Resolves an LNURL, a URL or the URL of an address, and checks the response as LUD-06, LUD-12, LUD-16 and LUD-20 describe. */
export async function termsOf(lnurlOrUrl: string, headers: Record<string, string> = {}): Promise<Terms> {
  const url = /^lnurl1/i.test(lnurlOrUrl) ? decodeLnurl(lnurlOrUrl) : lnurlOrUrl;
  const terms = await visit(url, headers);
  expect(terms.tag).toBe('payRequest');
  expect(new URL(terms.callback).protocol).toMatch(/^https?:$/);
  for (const amount of [terms.minSendable, terms.maxSendable]) expect(amount).toSatisfy(Number.isSafeInteger);
  expect(terms.minSendable).toBeGreaterThanOrEqual(1);
  expect(terms.maxSendable).toBeGreaterThanOrEqual(terms.minSendable);
  const entries: unknown = JSON.parse(terms.metadata);
  if (!Array.isArray(entries)) throw new Error('metadata must be an array');
  for (const entry of entries) expect(entry).toEqual([expect.any(String), expect.anything()]);
  const types = entries.map(([type]) => type);
  expect(types.filter((type) => type === 'text/plain')).toHaveLength(1);
  expect(types.filter((type) => /^image\/(png|jpeg);base64$/.test(type)).length).toBeLessThanOrEqual(1);
  if (terms.commentAllowed !== undefined) expect(terms.commentAllowed).toBeGreaterThan(0);
  return terms;
}

/** Returns the values of a type of metadata. */
export function metadataOf({ metadata }: Pick<Terms, 'metadata'>, type: string): unknown[] {
  return (JSON.parse(metadata) as [string, unknown][]).filter(([one]) => one === type).map(([, value]) => value);
}

export interface Extras {
  readonly comment?: string;
  readonly payerData?: object | string;
}

/** Step 2, without checks. */
export function callBack(
  { callback }: Pick<Terms, 'callback'>,
  amountMsat: number | string,
  { comment, payerData }: Extras = {},
): Promise<Json> {
  const parameters = [`amount=${amountMsat}`];
  if (comment !== undefined) parameters.push(`comment=${encodeURIComponent(comment)}`);
  if (payerData !== undefined) parameters.push(`payerdata=${encodeURIComponent(payerDataText(payerData))}`);
  return visit(`${callback}${callback.includes('?') ? '&' : '?'}${parameters.join('&')}`);
}

function payerDataText(payerData: object | string): string {
  return typeof payerData === 'string' ? payerData : JSON.stringify(payerData);
}

/** Step 2: requests an invoice and checks its amount and its commitment before it would pay. */
export async function billFor(terms: Terms, amountMsat: number, extras: Extras = {}): Promise<Bill> {
  const { pr, routes, disposable, verify, successAction } = await callBack(terms, amountMsat, extras);
  expect([routes, disposable]).toEqual([[], false]);
  const invoice = decodeBolt11(pr);
  expect(invoice.amountMsat).toBe(amountMsat);
  const payerData = terms.payerData && extras.payerData !== undefined ? payerDataText(extras.payerData) : '';
  expect(invoice.descriptionHash).toBe(
    createHash('sha256')
      .update(Buffer.from(terms.metadata + payerData))
      .digest('hex'),
  );
  expect(invoice.description).toBeUndefined();
  if (successAction !== undefined) checkSuccessAction(successAction, terms.callback);
  return { pr, verify, successAction, paymentHash: invoice.paymentHash };
}

function checkSuccessAction(action: Json, callback: string): void {
  expect(['message', 'url', 'aes']).toContain(action.tag);
  expect((action.message ?? action.description).length).toBeLessThanOrEqual(144);
  if (action.tag === 'url') expect(new URL(action.url).hostname).toBe(new URL(callback).hostname);
  if (action.tag === 'aes') {
    expect(action.ciphertext.length).toBeLessThanOrEqual(4096);
    expect([action.iv.length, Buffer.from(action.iv, 'base64').length]).toEqual([24, 16]);
  }
}

/** Decrypts the text of LUD-10 with the preimage of the payment. */
export function decryptAction({ ciphertext, iv }: { ciphertext: string; iv: string }, preimage: string): string {
  const decipher = createDecipheriv('aes-256-cbc', Buffer.from(preimage, 'hex'), Buffer.from(iv, 'base64'));
  return decipher.update(ciphertext, 'base64', 'utf8') + decipher.final('utf8');
}
