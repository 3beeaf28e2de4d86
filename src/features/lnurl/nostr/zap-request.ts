import { createHash } from 'node:crypto';
import { parseJson } from '../../../core/kernel/json.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { isHex, type NostrEvent, readEvent, tagValue } from '../../../core/nostr/event.ts';

/** A request for a zap (NIP-57): an event that the payer has signed, and which the invoice commits to. */
export interface ZapRequest {
  /** JSON exactly as received. */
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
  readonly event: NostrEvent;
}

/** In UTF-8. */
const MAX_BYTES = 4096;
const ZAP_REQUEST_KIND = 9734;
/** Clients name up to some dozens. The receipt is published to the first ones only. */
const MAX_RELAYS = 100;
const MAX_PUBLISHED = 10;

/** Kind, public key and identifier of an addressable event (NIP-01). */
const ADDRESS = /^\d{1,5}:[0-9a-f]{64}:.{0,500}$/su;

/**
 * Reads and checks a zap request, apart from its signature. `serviceKey` is the author of the receipts.
 * @throws Refusal `validation_failed`
 */
export function readZapRequest(text: string, { amountMsat, serviceKey }: { amountMsat: number; serviceKey: string }): ZapRequest {
  if (Buffer.byteLength(text) > MAX_BYTES) throw refused(`must have at most ${MAX_BYTES} bytes`);
  const event = readEvent(parseJson(text));
  if (event?.kind !== ZAP_REQUEST_KIND) throw refused(`must be a signed Nostr event of kind ${ZAP_REQUEST_KIND} as JSON`);
  requireTag(event, 'p', { isRequired: true, isValid: (value) => isHex(value, 64), rule: 'the public key of the recipient in hex' });
  requireTag(event, 'e', { isValid: (value) => isHex(value, 64), rule: 'the id of an event in hex' });
  requireTag(event, 'a', { isValid: (value) => ADDRESS.test(value), rule: '`kind:pubkey:identifier`' });
  requireTag(event, 'k', { isValid: (value) => /^\d{1,5}$/.test(value), rule: 'the kind of an event' });
  requireTag(event, 'P', { isValid: (value) => value === serviceKey, rule: '`nostrPubkey`' });
  requireTag(event, 'amount', { isValid: (value) => value === `${amountMsat}`, rule: '`amount` of the request' });
  const relays = event.tags.filter(([name]) => name === 'relays');
  const [list = []] = relays;
  if (relays.length !== 1 || list.length < 2 || list.length - 1 > MAX_RELAYS)
    throw refused(`must have one \`relays\` tag with 1 to ${MAX_RELAYS} relays`);
  return { text, hash: createHash('sha256').update(text).digest('hex'), event };
}

interface TagRule {
  readonly isRequired?: boolean;
  isValid(value: string): boolean;
  readonly rule: string;
}

function requireTag(event: NostrEvent, name: string, { isRequired = false, isValid, rule }: TagRule): void {
  const tags = event.tags.filter(([tag]) => tag === name);
  if (tags.length === 0 && !isRequired) return;
  if (tags.length !== 1) throw refused(`must have ${isRequired ? 'one' : 'at most one'} \`${name}\` tag`);
  if (!isValid(tagValue(event, name) ?? '')) throw refused(`must have ${rule} in its \`${name}\` tag`);
}

export function refused(rule: string): Refusal {
  return new Refusal('validation_failed', `\`nostr\` ${rule}.`);
}

/** Returns the URLs of the first ten different relays of a request, as far as they are WebSocket URLs. The outbound client checks them further. */
export function relaysOf(event: NostrEvent): string[] {
  const [, ...texts] = event.tags.find(([name]) => name === 'relays') ?? [];
  const urls = texts.map((text) => URL.parse(text)).filter((url) => url?.protocol === 'wss:' || url?.protocol === 'ws:');
  return Array.from(new Set(urls.map((url) => url?.href ?? ''))).slice(0, MAX_PUBLISHED);
}
