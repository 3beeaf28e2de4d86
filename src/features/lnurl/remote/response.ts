import { isJsonObject } from '../../../core/kernel/json.ts';
import { MAX_MSAT, type Msat } from '../../../core/kernel/money.ts';
import { Refusal, type RefusalType } from '../../../core/kernel/refusal.ts';
import { shownReason } from '../../../core/kernel/shown-text.ts';
import { OutboundError, type OutboundReason } from '../../../core/outbound/outbound.ts';
import { kindOfTag, requireKind, type UsableKind } from './destination.ts';
import type { LinkClient } from './own-links.ts';

/** A JSON object of another service. Its fields may have any value. */
export type RemoteObject = Readonly<Record<string, unknown>>;

/** The response breaks the protocol, so the request is not executed. @param problem completes "the response of …". */
export function brokenResponse(domain: string, problem: string): Refusal {
  return new Refusal('lnurl_refused', `The response of ${domain} ${problem.replace(/\.$/, '')}. This request paid nothing.`);
}

/** LUD-06 allows an image of 136,536 characters in the metadata. Some services escape its slashes twice. */
const MAX_BYTES = 200_000;

/**
 * Fetches the JSON of a URL of another service; of a callback if the domain that named it is given.
 * @throws Refusal. After `lnurl_unavailable` the request may have been executed; after any other nothing was sent.
 */
export async function fetchJson(client: LinkClient, url: string, callbackOf?: string): Promise<unknown> {
  try {
    // LUD-01: the status has no meaning.
    return (await client.getJson(url, { maxBytes: MAX_BYTES })).body;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { reason, message } = error;
    if (reason === 'invalid_url' && callbackOf !== undefined)
      throw brokenResponse(callbackOf, `has a \`callback\` that cannot be used. ${message}`);
    throw new Refusal(REFUSAL_TYPES[reason], `${message} This request paid nothing.`);
  }
}

const REFUSAL_TYPES: Readonly<Record<OutboundReason, RefusalType>> = {
  invalid_url: 'lnurl_invalid',
  busy: 'rate_limited',
  not_json: 'lnurl_unavailable',
  timed_out: 'lnurl_unavailable',
  no_valid_response: 'lnurl_unavailable',
};

/** Returns the object of a response. @throws Refusal `lnurl_refused` with the reason of an ERROR response, or for anything but an object. */
export function requireObject(domain: string, response: unknown): RemoteObject {
  if (!isJsonObject(response)) throw brokenResponse(domain, 'is not a JSON object');
  if (isError(response)) throw refusedBy(domain, response);
  return response;
}

/** The same for step 1, whose object states the kind of the link. @throws Refusal `lnurl_invalid` if the link is of another kind. */
export function requireParameters(domain: string, response: unknown, wanted: UsableKind): RemoteObject {
  const object = requireObject(domain, response);
  const kind = kindOfTag(object.tag);
  if (!kind) throw brokenResponse(domain, 'is not LNURL: it has no known `tag`');
  requireKind(kind, wanted);
  return object;
}

/** Whether the service reports an error (LUD-03, LUD-06). Some services write the word in lower case. */
export function isError({ status }: RemoteObject): boolean {
  return typeof status === 'string' && status.toUpperCase() === 'ERROR';
}

export function refusedBy(domain: string, { reason }: RemoteObject): Refusal {
  const shown = shownReason(reason).replace(/\.$/, '');
  return new Refusal('lnurl_refused', `${domain} refused${shown === '' ? '' : `: “${shown}”`}. This request paid nothing.`);
}

/** Returns an amount in millisatoshis. A larger one than the ledger can hold counts as the largest. @throws Refusal */
export function requireMsat(domain: string, object: RemoteObject, field: string): Msat {
  const value = object[field];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw brokenResponse(domain, `has no whole number of millisatoshis, 0 or more, in \`${field}\``);
  return Math.min(value, MAX_MSAT) as Msat;
}

/** A callback with the invoice or the comment has to fit into a URL, too. */
const MAX_CALLBACK = 4000;

/** Returns the URL of step 2. @throws Refusal */
export function requireCallback(domain: string, { callback }: RemoteObject): URL {
  const isText = typeof callback === 'string' && callback.length <= MAX_CALLBACK && !/[\s\p{Cc}\p{Cs}]/u.test(callback);
  const url = isText ? URL.parse(callback) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw brokenResponse(domain, 'has no http or https URL in `callback`');
  return url;
}

/** Adds parameters to the query that a callback already has, which stays as it is. */
export function withParameters(callback: URL, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(callback);
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  url.search = [url.search.replace(/^\?/, ''), ...query].filter((part) => part !== '').join('&');
  url.hash = '';
  return url.href;
}
