import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { hmacSha256 } from '../../core/kernel/crypto.ts';

/** `access`: for requests. `refresh`: for the next pair of tokens. */
type TokenUse = 'access' | 'refresh';

/** BlueWallet renews access tokens after two hours and logs in again after seven days, whatever the response says. */
const LIFETIME_SECONDS: Readonly<Record<TokenUse, number>> = { access: 48 * 3600, refresh: 7 * 86_400 };

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });
const MAX_LENGTH = 1000;

/** Signs and reads the tokens of LNDhub, which are not stored. */
export type Tokens = ReturnType<typeof createTokens>;

/**
 * Each token is a JSON Web Token (RFC 7519, HS256) with the id of its key, so it is void when the key is revoked. BTCPay reads `exp` from it.
 * @param secretKey the bytes of SECRET_KEY, at least 32
 */
export function createTokens(secretKey: Uint8Array, clock: Clock) {
  const key = Buffer.from(hkdfSync('sha256', secretKey, new Uint8Array(), 'satchel LNDhub tokens, version 1', 32));

  const sign = (text: string) => hmacSha256(key, text);

  function issue(keyId: string, use: TokenUse, issuedAt: number): string {
    const text = `${HEADER}.${encode({ sub: keyId, use, iat: issuedAt, exp: issuedAt + LIFETIME_SECONDS[use] })}`;
    return `${text}.${sign(text).toString('base64url')}`;
  }

  return {
    /** Returns new tokens of a key, as the API sends them. Earlier tokens remain valid: the response may get lost. */
    issuePair(keyId: string) {
      const now = unixSeconds(clock);
      const { access } = LIFETIME_SECONDS;
      return {
        access_token: issue(keyId, 'access', now),
        refresh_token: issue(keyId, 'refresh', now),
        token_type: 'Bearer',
        expires_in: access,
        expiry: new Date((now + access) * 1000).toISOString(),
      };
    },

    /** Returns the id of the key of a token; undefined if the token was not signed here, has expired or is for another use. */
    read(token: string, use: TokenUse): string | undefined {
      if (token.length > MAX_LENGTH) return undefined;
      const [header, claims = '', signature = '', ...rest] = token.split('.');
      if (header !== HEADER || rest.length > 0) return undefined;
      // As text: different texts can have the same bytes, and each token has one text.
      const expected = Buffer.from(sign(`${HEADER}.${claims}`).toString('base64url'));
      const given = Buffer.from(signature);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const { sub, use: signedUse, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
      return signedUse === use && exp > unixSeconds(clock) ? sub : undefined;
    },
  };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
