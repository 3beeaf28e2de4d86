import { createCipheriv, createECDH, createPrivateKey, ECDH, hkdfSync, randomBytes, sign } from 'node:crypto';
import { hmacSha256, wrapKey } from '../../core/kernel/crypto.ts';

/** The keys of a browser, as `PushSubscription.getKey` returns them. */
export interface BrowserKeys {
  /** An uncompressed point on P-256, in base64url. */
  readonly p256dh: string;
  /** 16 bytes in base64url. */
  readonly auth: string;
}

const CURVE = 'prime256v1';
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
/** Every push service accepts a message of this size (RFC 8030, section 7.2). */
const RECORD_BYTES = 4096;
/** Messages are padded to a multiple of this size, so that their length reveals neither the amount nor the wallet. */
const PADDED_BYTES = 256;
const TAG_BYTES = 16;

/** Returns whether the texts are valid keys of a browser. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== POINT_BYTES || point[0] !== 4 || Buffer.from(auth, 'base64url').length !== AUTH_BYTES) return false;
  try {
    // Throws for a point that is not on the curve.
    ECDH.convertKey(point, CURVE);
    return true;
  } catch {
    return false;
  }
}

/** Replaces the random values by those of an RFC example in tests. */
interface Chosen {
  readonly privateKey: Uint8Array;
  readonly salt: Uint8Array;
  readonly isPadded: boolean;
}

/** Encrypts a text for a browser. Returns the body of a message with the encoding aes128gcm (RFC 8291 and RFC 8188, one record). */
export function encryptTo({ p256dh, auth }: BrowserKeys, text: string, chosen?: Chosen): Buffer {
  const ecdh = createECDH(CURVE);
  if (chosen) ecdh.setPrivateKey(chosen.privateKey);
  else ecdh.generateKeys();
  const [browserPoint, ownPoint] = [Buffer.from(p256dh, 'base64url'), ecdh.getPublicKey()];
  const salt = chosen?.salt ?? randomBytes(16);
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), browserPoint, ownPoint]);
  const secret = derive(ecdh.computeSecret(browserPoint), Buffer.from(auth, 'base64url'), keyInfo, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const content = Buffer.concat([Buffer.from(text), Buffer.of(2)]);
  const padded = chosen?.isPadded === false ? content : Buffer.concat([content, Buffer.alloc(-content.length & (PADDED_BYTES - 1))]);
  const header = Buffer.alloc(21);
  header.set(salt);
  header.writeUInt32BE(RECORD_BYTES, 16);
  header.writeUInt8(ownPoint.length, 20);
  const cipher = createCipheriv('aes-128-gcm', wrapKey(key), nonce);
  const body = Buffer.concat([header, ownPoint, cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  if (padded.length + TAG_BYTES > RECORD_BYTES || body.length > RECORD_BYTES) throw new Error('the message is too long to push');
  return body;
}

function derive(input: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, salt, info, bytes));
}

/** The service's key pair for push services (RFC 8292). */
export type Vapid = ReturnType<typeof createVapid>;

/** An authorization is valid for this long; push services accept at most a day. */
const AUTHORIZED_SECONDS = 12 * 3600;

/**
 * Derives the key pair from SECRET_KEY, so all instances have the same key pair and do not store it.
 * @param contact a URL of the service, where a push service finds its operator
 */
export function createVapid(secretKey: Uint8Array, contact: string) {
  const ecdh = createECDH(CURVE);
  const scalar = privateScalar(secretKey);
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey();
  const publicKey = point.toString('base64url');
  const [x, y, d] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url'), scalar.toString('base64url')];
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d } });
  return {
    /** An uncompressed point in base64url: the `applicationServerKey` of subscriptions. */
    publicKey,
    /** Returns the header Authorization of a message to the push service of an endpoint. */
    authorization(endpoint: string, nowSeconds: number): string {
      const claims = { aud: new URL(endpoint).origin, exp: nowSeconds + AUTHORIZED_SECONDS, sub: contact };
      const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
    },
  };
}

/** Returns a number from 1 to below the order of P-256, in 32 bytes. One in 2^32 first numbers is not below it. */
function privateScalar(secretKey: Uint8Array): Buffer {
  for (let index = 0; ; index++) {
    const scalar = hmacSha256(secretKey, 'satchel push key pair', Buffer.of(index));
    if (scalar.compare(P256_ORDER) < 0 && scalar.some((byte) => byte !== 0)) return scalar;
  }
}

const P256_ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
