import { expect, it } from 'vitest';
import { otpauthUrl, stepOfCode, totpCode } from '../../src/features/logins/totp.ts';

const SEED = Buffer.from('12345678901234567890');

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('matches RFC 6238, appendix B, at %i seconds', (seconds, code) => {
  expect(totpCode(SEED, Math.floor(seconds / 30))).toBe(code);
});

it('accepts codes of the present step and of those before and after it', () => {
  const now = 1_234_567_890;
  const step = Math.floor(now / 30);
  const accepted = [-2, -1, 0, 1, 2].map((offset) => stepOfCode(SEED, totpCode(SEED, step + offset), now));
  expect(accepted).toEqual([undefined, step - 1, step, step + 1, undefined]);
  for (const text of ['', '12345', '1234567', '00592a', '００５９２４']) expect(stepOfCode(SEED, text, now)).toBeUndefined();
});

it('encodes the seed as the vectors of RFC 4648, section 10', () => {
  const vectors = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
  for (const [text, encoded] of Object.entries(vectors)) {
    const url = otpauthUrl(Buffer.from(text), { issuer: 'example.com', account: 'ada' });
    expect(new URL(url).searchParams.get('secret')).toBe(encoded);
  }
});

it('returns a URL that names service and account', () => {
  expect(otpauthUrl(SEED, { issuer: 'wallets.example.com', account: 'ada@example.com' })).toBe(
    'otpauth://totp/wallets.example.com:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=wallets.example.com',
  );
});
