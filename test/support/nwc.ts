import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { type NostrEvent, publicKeyOf, signEvent, tagValue } from '../../src/core/nostr/event.ts';
import { decryptNip04, encryptNip04, nip04Key } from '../../src/core/nostr/nip04.ts';
import { decryptNip44, encryptNip44, nip44Key } from '../../src/core/nostr/nip44.ts';
import { connectRelay } from '../../src/core/nostr/relay.ts';
import type { FakeNodeApp } from './app.ts';
import type { Client, Json } from './client.ts';
import { silentLog } from './ledger.ts';

type Scheme = 'nip44_v2' | 'nip04';

/** What an app received: a response or a notification, decrypted. */
export interface Received {
  readonly event: NostrEvent;
  readonly body: Json;
}

/** An app that is connected to a wallet. It uses one relay, the first one of its link. */
export interface NwcApp {
  readonly id: string;
  readonly uri: string;
  readonly servicePubkey: string;
  readonly received: Received[];
  /** Sends a request and returns its response. */
  call(method: string, params?: object): Promise<Json>;
  /** Returns a signed request. */
  request(
    method: string,
    params?: object,
    changes?: { readonly createdAt?: number; readonly tags?: readonly (readonly string[])[]; readonly content?: string },
  ): NostrEvent;
  /** Publishes a request. */
  send(event: NostrEvent): Promise<void>;
  /** Returns the responses to a request that have arrived. */
  responsesTo(event: NostrEvent): Received[];
  /** Waits for the response to a request. */
  responseTo(event: NostrEvent): Promise<Json>;
  notifications(): Json[];
  close(): void;
}

/** The kind of responses (NIP-47). */
export const RESPONSE = 23_195;

/** Returns the id of the request that an event answers; undefined if it is no response. */
export function requestAnsweredBy(event: NostrEvent): string | undefined {
  return event.kind === RESPONSE ? tagValue(event, 'e') : undefined;
}

/** Connects an app to a wallet. */
export async function connectApp(client: Client, walletId: string, order: object = {}, scheme: Scheme = 'nip44_v2'): Promise<NwcApp> {
  const created = await client.post(`/v1/wallet/${walletId}/connections`, order);
  return openApp(created, scheme);
}

/** Returns a hold invoice of a wallet, of 1000 msat, whose payment waits at the node. */
export async function payHoldInvoice({ client, net }: Pick<FakeNodeApp, 'client' | 'net'>, walletId: string) {
  const preimage = randomBytes(32).toString('hex');
  const paymentHash = paymentHashOf(preimage);
  const { id, payment_request: paymentRequest }: Json = await client.post(`/v1/wallet/${walletId}/invoice`, {
    num_satoshis: 1,
    hold_hash: paymentHash,
  });
  await net.outside.pay({ paymentRequest });
  return {
    preimage,
    paymentHash,
    status: async (): Promise<string> => (await client.get(`/v1/lntx/${id}`)).status,
    /** The state of the payment for its payer. */
    payer: () => net.outside.payments().find((one) => one.paymentHash === paymentHash)?.state,
  };
}

/** Opens an app from the response that created its connection. */
export async function openApp({ id, uri }: Json, scheme: Scheme = 'nip44_v2', secretKey?: Uint8Array): Promise<NwcApp> {
  const url = new URL(uri);
  const servicePubkey = url.host;
  const secret = secretKey ?? Buffer.from(url.searchParams.get('secret') ?? '', 'hex');
  const pubkey = publicKeyOf(secret);
  const [key44, key04] = [nip44Key(secret, servicePubkey), nip04Key(secret, servicePubkey)];
  if (!key44 || !key04) throw new Error('the public key of the service is invalid');
  const life = new AbortController();
  const relay = connectRelay({
    url: url.searchParams.get('relay') ?? '',
    signal: life.signal,
    log: silentLog,
    timing: { minBackoffMs: 20, maxBackoffMs: 100 },
  });
  const received: Received[] = [];
  const subscription = relay.subscribe({
    filters: () => [{ kinds: [RESPONSE, 23_196, 23_197], '#p': [pubkey] }],
    onEvent(event) {
      const text = event.content.includes('?iv=') ? decryptNip04(key04, event.content) : decryptNip44(key44, event.content);
      if (!received.some((one) => one.event.id === event.id)) received.push({ event, body: JSON.parse(text ?? 'null') });
    },
  });
  await vi.waitUntil(() => subscription.isActive, { timeout: 150_000, interval: 10 });

  const app: NwcApp = {
    id,
    uri,
    servicePubkey,
    received,
    async call(method, params) {
      const event = app.request(method, params);
      await app.send(event);
      return app.responseTo(event);
    },
    request(method, params = {}, { createdAt = Math.floor(Date.now() / 1000), tags, content } = {}) {
      const plaintext = JSON.stringify({ method, params });
      const encrypted = scheme === 'nip04' ? encryptNip04(key04, plaintext) : encryptNip44(key44, plaintext);
      const own = [
        ['p', servicePubkey],
        ...(scheme === 'nip04' ? [] : [['encryption', scheme]]),
        ['nonce', randomBytes(4).toString('hex')],
      ];
      return signEvent({ created_at: createdAt, kind: 23_194, tags: tags ?? own, content: content ?? encrypted }, secret);
    },
    async send(event) {
      await vi.waitUntil(() => relay.status().connected, { timeout: 150_000, interval: 10 });
      const { accepted, message } = await relay.publish(event);
      if (!accepted) throw new Error(`the relay refused the request: ${message}`);
    },
    responsesTo: ({ id: requestId }) => received.filter(({ event }) => requestAnsweredBy(event) === requestId),
    async responseTo(event) {
      const first = () => app.responsesTo(event)[0];
      await vi.waitUntil(first, { timeout: 150_000, interval: 5 });
      return first()?.body;
    },
    notifications: () => received.filter(({ event }) => event.kind === 23_197).map(({ body }) => body),
    close: () => life.abort(),
  };
  return app;
}
