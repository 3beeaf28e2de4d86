import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { Json } from '../support/client.ts';

const { subtle } = webcrypto;
const P256 = { name: 'ECDH', namedCurve: 'P-256' };

/** A browser as a push service and the service see it. It decrypts with WebCrypto, as browsers do, and shares no code with the service. */
export interface TestBrowser {
  readonly p256dh: string;
  readonly auth: string;
  decrypt(body: Uint8Array): Promise<string>;
}

export async function newBrowser(chosen?: { readonly privateKey: webcrypto.CryptoKey; readonly p256dh: string; readonly auth: string }) {
  const auth = chosen ? Buffer.from(chosen.auth, 'base64url') : Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)));
  const pair = chosen ? undefined : ((await subtle.generateKey(P256, true, ['deriveBits'])) as webcrypto.CryptoKeyPair);
  const own = chosen
    ? Buffer.from(chosen.p256dh, 'base64url')
    : Buffer.from(await subtle.exportKey('raw', pair?.publicKey as webcrypto.CryptoKey));
  const privateKey = (chosen?.privateKey ?? pair?.privateKey) as webcrypto.CryptoKey;

  async function decrypt(body: Uint8Array): Promise<string> {
    const [salt, size, length] = [body.slice(0, 16), new DataView(body.buffer, body.byteOffset + 16).getUint32(0), body[20] ?? 0];
    const sender = body.slice(21, 21 + length);
    const content = body.slice(21 + length);
    if (content.length > size) throw new Error('more than one record');
    const publicKey = await subtle.importKey('raw', sender, P256, false, []);
    const shared = new Uint8Array(await subtle.deriveBits({ name: 'ECDH', public: publicKey }, privateKey, 256));
    const secret = await hkdf(shared, auth, Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]), 32);
    const key = await hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const iv = await hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const aes = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
    const padded = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, aes, content));
    const end = padded.findLastIndex((byte) => byte !== 0);
    if (padded[end] !== 2) throw new Error('the last record must end with 2');
    return padded.subarray(0, end).toString('utf8');
  }

  return { p256dh: own.toString('base64url'), auth: auth.toString('base64url'), decrypt } satisfies TestBrowser;
}

async function hkdf(input: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Promise<Uint8Array> {
  const key = await subtle.importKey('raw', input, 'HKDF', false, ['deriveBits']);
  return new Uint8Array(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, 8 * bytes));
}

/** Verifies the header Authorization of a message (RFC 8292) and returns its claims and its key. */
export async function readAuthorization(header: string): Promise<{ claims: Json; key: string }> {
  const [, head = '', claims = '', signature = '', key = ''] = /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(\S+)$/.exec(header) ?? [];
  const publicKey = await subtle.importKey('raw', Buffer.from(key, 'base64url'), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']);
  const signed = Buffer.from(`${head}.${claims}`);
  const isValid = await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, publicKey, Buffer.from(signature, 'base64url'), signed);
  if (!isValid) throw new Error('the signature is wrong');
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), key };
}

/** A message that a push service got. */
export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service in the process of the test. By default it accepts all messages. */
export interface PushService {
  url(path: string): string;
  readonly got: Pushed[];
  /** The messages to a path. */
  to(path: string): Pushed[];
  /** Returns the status of the response; undefined: it never responds. */
  respond: (pushed: Pushed) => number | undefined;
}

/** Starts a push service before the tests of the suite, and stops it after them. */
export function startPushService(): PushService {
  let server: Server;
  const service: PushService = {
    got: [],
    respond: () => 201,
    url: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    to: (path) => service.got.filter((one) => one.path === path),
  };
  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const pushed = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
        service.got.push(pushed);
        const status = service.respond(pushed);
        if (status !== undefined) response.writeHead(status).end();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return service;
}
