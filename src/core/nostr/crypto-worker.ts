import { parentPort } from 'node:worker_threads';
import { limitEntries } from '../kernel/limit-entries.ts';
import { type EventTemplate, type NostrEvent, signEvent, verifyEvent } from './event.ts';
import { decryptNip04, encryptNip04, nip04Key } from './nip04.ts';
import { decryptNip44, encryptNip44, nip44Key } from './nip44.ts';

/** How the content of an event is encrypted (NIP-47): as in NIP-44 or in NIP-04. */
export type EncryptionScheme = 'nip44_v2' | 'nip04';

export interface EventToOpen {
  readonly event: NostrEvent;
  /** Of the recipient. */
  readonly secretKey: Uint8Array;
  readonly scheme: EncryptionScheme;
}

export interface EventToSeal {
  readonly template: Omit<EventTemplate, 'content'>;
  /** Of the author. */
  readonly secretKey: Uint8Array;
  /** The public key of the recipient. */
  readonly recipient: string;
  readonly scheme: EncryptionScheme;
  /** At most 65,535 bytes. */
  readonly plaintext: string;
}

export type CryptoTask =
  | ({ readonly type: 'open' } & EventToOpen)
  | ({ readonly type: 'seal' } & EventToSeal)
  | { readonly type: 'sign'; readonly template: EventTemplate; readonly secretKey: Uint8Array }
  | { readonly type: 'verify'; readonly event: NostrEvent };

/** What a task returns: a text, an event or a boolean, as its type. */
export type CryptoResult = { readonly value: unknown } | { readonly error: string };

/** A key takes 1 ms to compute. An entry has about 400 bytes. */
const MAX_KEYS = 20_000;
const keys = new Map<string, Buffer>();

function runTask(task: CryptoTask): unknown {
  switch (task.type) {
    case 'open':
      return openEvent(task);
    case 'seal':
      return sealEvent(task);
    case 'sign':
      return signEvent(task.template, task.secretKey);
    case 'verify':
      return verifyEvent(task.event);
  }
}

function openEvent({ event, secretKey, scheme }: EventToOpen): string | undefined {
  if (!verifyEvent(event)) return undefined;
  const key = conversationKey(scheme, secretKey, event.pubkey);
  return key && (scheme === 'nip44_v2' ? decryptNip44(key, event.content) : decryptNip04(key, event.content));
}

function sealEvent({ template, secretKey, recipient, scheme, plaintext }: EventToSeal): NostrEvent {
  const key = conversationKey(scheme, secretKey, recipient);
  if (!key) throw new Error(`${recipient} is not a public key`);
  const content = scheme === 'nip44_v2' ? encryptNip44(key, plaintext) : encryptNip04(key, plaintext);
  return signEvent({ ...template, content }, secretKey);
}

/** Returns the key of all messages between two keys; undefined for an invalid public key. */
function conversationKey(scheme: EncryptionScheme, secretKey: Uint8Array, pubkey: string): Buffer | undefined {
  const name = `${scheme} ${Buffer.from(secretKey).toString('hex')} ${pubkey}`;
  const known = keys.get(name);
  if (known) return known;
  const key = scheme === 'nip44_v2' ? nip44Key(secretKey, pubkey) : nip04Key(secretKey, pubkey);
  if (!key) return undefined;
  keys.set(name, key);
  limitEntries(keys, MAX_KEYS);
  return key;
}

parentPort?.on('message', (task: CryptoTask) => {
  let result: CryptoResult;
  try {
    result = { value: runTask(task) };
  } catch (error) {
    result = { error: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(result);
});
