import { bech32 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import {
  type Bolt11Draft,
  type Bolt11Field,
  encodeBolt11,
  featureWords,
  numberWords,
  ordinaryFields,
} from '../../devnet/fake/bolt11-encoder.ts';
import {
  type Bolt11,
  canonicalText,
  decodeBolt11,
  decodeUnverifiedBolt11,
  InvalidInvoice,
  unknownRequiredBits,
  unverifiedPaymentHash,
} from '../../src/core/lightning/bolt11/bolt11.ts';
import { forgeAmount, forgeWords, SPEC_PAYEE, SPEC_PRIVATE_KEY } from '../support/bolt11-forgery.ts';
import { INVALID, UNKNOWN_REQUIRED_FEATURE, VALID } from './bolt11-vectors.ts';

const HASH = 'ab'.repeat(32);
const SECRET = '11'.repeat(32);
const P: Bolt11Field = ['p', Buffer.from(HASH, 'hex')];
const S: Bolt11Field = ['s', Buffer.from(SECRET, 'hex')];
const D: Bolt11Field = ['d', new TextEncoder().encode('coffee')];
const H: Bolt11Field = ['h', Buffer.from('cd'.repeat(32), 'hex')];
const N: Bolt11Field = ['n', Buffer.from(SPEC_PAYEE, 'hex')];
const HOP = Uint8Array.of(2, ...Buffer.from(SPEC_PAYEE, 'hex').subarray(1), ...new Uint8Array(18));

function invoice(fields: readonly Bolt11Field[] = [P, S, D], rest: Partial<Bolt11Draft> = {}): string {
  return encodeBolt11({ network: 'regtest', timestamp: 1_700_000_000, privateKey: SPEC_PRIVATE_KEY, fields, ...rest });
}

function refusal(text: string, decode: (text: string) => unknown = decodeBolt11): string {
  try {
    decode(text);
  } catch (error) {
    if (error instanceof InvalidInvoice) return error.message;
    throw error;
  }
  return 'not refused';
}

describe('the vectors of BOLT11', () => {
  it.each(VALID)('reads $title', ({ text, expected }) => {
    expect(decodeBolt11(text)).toMatchObject({ payee: SPEC_PAYEE, paymentSecret: SECRET, paymentRequest: text.toLowerCase(), ...expected });
  });

  it.each(INVALID)('refuses $title', ({ text, reason }) => {
    expect(refusal(text)).toMatch(reason);
  });

  it('have the same payment hash when nothing else of them is read', () => {
    for (const { text } of VALID) expect(unverifiedPaymentHash(canonicalText(text) ?? '')).toBe(decodeBolt11(text).paymentHash);
  });

  it.each(VALID)('reads $title in the same way without verifying its signature', ({ text }) => {
    const { payee: _, ...expected } = decodeBolt11(text);
    expect(decodeUnverifiedBolt11(text)).toEqual(expected);
  });

  it.each(INVALID.filter(({ reason }) => !/signature/.test(String(reason))))(
    'refuses $title also without verifying its signature',
    ({ text, reason }) => {
      expect(refusal(text, decodeUnverifiedBolt11)).toMatch(reason);
    },
  );

  it('reports the required feature 100, which no payer knows', () => {
    const { features, payee } = decodeBolt11(UNKNOWN_REQUIRED_FEATURE);
    expect(payee).toBe(SPEC_PAYEE);
    expect(unknownRequiredBits(features)).toEqual([100]);
  });

  it('signs as the specification does, so the encoder of these tests can be trusted', () => {
    const [donation] = VALID;
    const fields: Bolt11Field[] = [
      S,
      ['p', Buffer.from(donation.expected.paymentHash, 'hex')],
      ['d', new TextEncoder().encode(donation.expected.description)],
      ['9', featureWords([8, 14])],
    ];
    expect(invoice(fields, { network: 'bitcoin', timestamp: 1496314658 })).toBe(donation.text);
  });
});

describe('I1: nothing that two readers could understand in two ways', () => {
  it.each<[string, readonly Bolt11Field[], RegExp]>([
    ['two different p fields', [P, ['p', Buffer.from('cd'.repeat(32), 'hex')], S, D], /more than one p field/],
    ['a p field of 51 words before the right one', [['p', zeros(51)], P, S, D], /p field has the wrong length/],
    ['a p field of 53 words after the right one', [P, S, D, ['p', zeros(53)]], /p field has the wrong length/],
    ['an empty p field', [['p', []], P, S, D], /p field has the wrong length/],
    ['an h field of 51 words', [P, S, ['h', zeros(51)]], /h field has the wrong length/],
    ['an h field of 53 words beside a d field', [P, S, D, ['h', zeros(53)]], /h field has the wrong length/],
    ['an s field of 51 words', [P, D, ['s', zeros(51)]], /s field has the wrong length/],
    ['an s field of 53 words after the right one', [P, S, D, ['s', zeros(53)]], /s field has the wrong length/],
    ['an n field of 52 words', [P, S, D, ['n', zeros(52)]], /n field has the wrong length/],
    ['an n field of 54 words', [P, S, D, ['n', zeros(54)]], /n field has the wrong length/],
    ['two s fields', [P, S, S, D], /more than one s field/],
    ['two d fields', [P, S, D, D], /more than one d field/],
    ['two h fields', [P, S, H, H], /more than one h field/],
    ['two n fields', [P, S, D, N, N], /more than one n field/],
    ['two x fields', [P, S, D, ['x', [1]], ['x', [2]]], /more than one x field/],
    ['two c fields', [P, S, D, ['c', [1]], ['c', [2]]], /more than one c field/],
    ['two 9 fields', [P, S, D, ['9', [1]], ['9', [1]]], /more than one 9 field/],
    ['two m fields', [P, S, D, ['m', [1, 0]], ['m', [1, 0]]], /more than one m field/],
    ['no p field', [S, D], /no p field/],
    ['no s field', [P, D], /no s field/],
    ['both d and h', [P, S, D, H], /both a d field and an h field/],
    ['neither d nor h', [P, S], /neither a d field nor an h field/],
    ['nothing at all', [], /neither/],
    ['padding of p that is not zero', [['p', [...zeros(51), 1]], S, D], /p field is not padded with zeros/],
    ['padding of s that is not zero', [P, ['s', [...zeros(51), 8]], D], /s field is not padded with zeros/],
    ['padding of h that is not zero', [P, S, ['h', [...zeros(51), 1]]], /h field is not padded with zeros/],
    ['padding of d that is not zero', [P, S, ['d', [12, 5]]], /d field is not padded with zeros/],
    ['a word too many in d', [P, S, ['d', [12, 4, 0]]], /d field is not padded with zeros/],
  ])('refuses %s', (_, fields, reason) => {
    expect(refusal(invoice(fields))).toMatch(reason);
  });
});

describe('fields', () => {
  it('reads what it may say', () => {
    const decoded = decodeBolt11(
      invoice(
        [
          P,
          S,
          H,
          N,
          ['x', numberWords(86_400)],
          ['c', numberWords(144)],
          ['m', Buffer.from('c0ffee', 'hex')],
          ['r', HOP],
          ['r', Uint8Array.of(...HOP, ...HOP)],
          ['f', [0, ...bech32.toWords(new Uint8Array(20))]],
          ['9', featureWords([8, 14, 17, 30, 262])],
        ],
        { network: 'signet', amountMsat: 123_456 },
      ),
    );
    expect(decoded).toMatchObject({
      network: 'signet',
      amountMsat: 123_456,
      paymentHash: HASH,
      description: undefined,
      descriptionHash: 'cd'.repeat(32),
      payee: SPEC_PAYEE,
      timestamp: 1_700_000_000,
      expirySeconds: 86_400,
      expiresAt: 1_700_086_400,
      minFinalCltvExpiry: 144,
      metadata: 'c0ffee',
    });
    expect(decoded.routeHints.map((route) => route.length)).toEqual([1, 2]);
    expect(decoded.features.map(({ bit, name }) => `${bit} ${name}`)).toEqual([
      '8 var_onion_optin',
      '14 payment_secret',
      '17 basic_mpp',
      '30 unknown',
      '262 unknown',
    ]);
    expect(unknownRequiredBits(decoded.features)).toEqual([30, 262]);
  });

  it.each<[string, Bolt11Field]>([
    ['of 32 bytes in version 0', ['f', [0, ...bech32.toWords(new Uint8Array(32))]]],
    ['of version 1', ['f', [1, ...bech32.toWords(new Uint8Array(32))]]],
    ['of a public key', ['f', [17, ...bech32.toWords(new Uint8Array(20))]]],
    ['of a script', ['f', [18, ...bech32.toWords(new Uint8Array(20))]]],
    ['of an unknown version', ['f', [19, 31, 31, 31]]],
  ])('accepts a fallback address %s', (_, field) => {
    expect(decodeBolt11(invoice([P, S, D, field, field])).paymentHash).toBe(HASH);
  });

  it('knows the first form of anchors, which invoices of older nodes require', () => {
    const { features } = decodeBolt11(invoice([P, S, D, ['9', featureWords([8, 14, 20])]]));
    expect(features.at(-1)).toEqual({ bit: 20, name: 'option_anchor_outputs', required: true });
    expect(unknownRequiredBits(features)).toEqual([]);
  });

  it('reads an empty description, unknown fields and leading zero words', () => {
    const decoded = decodeBolt11(invoice([P, S, ['d', []], ['2', [31, 31]], ['x', [0, 0, 5]], ['9', [0, 0, 16, 8, 0]]]));
    expect(decoded).toMatchObject({ description: '', expirySeconds: 5 });
    expect(decoded.features.map(({ bit }) => bit)).toEqual([8, 14]);
  });

  it('keeps the description as it was signed', () => {
    const description = '\ufeff<b>\u0000😀';
    expect(decodeBolt11(invoice(ordinaryFields({ paymentHash: HASH, paymentSecret: SECRET, description }))).description).toBe(description);
  });

  it.each<[string, Bolt11Field, RegExp]>([
    ['a description that is not UTF-8', ['d', Uint8Array.of(0x61, 0xff)], /d field is not UTF-8/],
    ['half a surrogate pair', ['d', Uint8Array.of(0xed, 0xa0, 0x80)], /d field is not UTF-8/],
    ['an expiry beyond exact numbers', ['x', zeros(12).fill(31)], /number in the x field is too large/],
    ['a final expiry of more words than nodes read', ['c', [...zeros(12), 9]], /number in the c field is too long/],
    ['an expiry of more words than nodes read', ['x', [...zeros(13), 9]], /number in the x field is too long/],
    ['an empty fallback address', ['f', []], /f field is empty/],
    ['a fallback address without a program', ['f', [0]], /f field is empty/],
    ['a fallback address of version 0 with 21 bytes', ['f', [0, ...bech32.toWords(new Uint8Array(21))]], /f field has the wrong length/],
    ['a fallback address of version 1 with 20 bytes', ['f', [1, ...bech32.toWords(new Uint8Array(20))]], /f field has the wrong length/],
    ['a hash of a public key of 32 bytes', ['f', [17, ...bech32.toWords(new Uint8Array(32))]], /f field has the wrong length/],
    ['a hash of a script of 19 bytes', ['f', [18, ...bech32.toWords(new Uint8Array(19))]], /f field has the wrong length/],
    ['padding of a fallback address that is not zero', ['f', [0, ...zeros(51), 1]], /f field is not padded with zeros/],
    ['a hop whose key is not on the curve', ['r', Uint8Array.of(2, ...zeros(31), 5, ...HOP.subarray(33))], /not a public key/],
    ['an empty route', ['r', []], /r field is not a whole number of hops/],
    ['half a hop', ['r', HOP.subarray(0, 40)], /r field is not a whole number of hops/],
    ['a hop of something else than a key', ['r', Uint8Array.of(4, ...HOP.subarray(1))], /not a public key/],
    ['padding of a route that is not zero', ['r', [...bech32.toWords(HOP).slice(0, -1), 31]], /r field is not padded with zeros/],
  ])('refuses %s', (_, field, reason) => {
    expect(refusal(invoice(field[0] === 'd' ? [P, S, field] : [P, S, D, field]))).toMatch(reason);
  });

  it('reads valid text after it refused one that is not UTF-8', () => {
    refusal(invoice([P, S, ['d', Uint8Array.of(0xf0, 0x9f)]]));
    expect(decodeBolt11(invoice()).description).toBe('coffee');
  });

  it.each([
    ['a field that promises more words than there are', (words: number[]) => [...words, 13, 0, 2, 1]],
    ['a field that is cut off in its length', (words: number[]) => [...words, 13, 0]],
    ['a field of which only the type is there', (words: number[]) => [...words, 13]],
  ])('refuses %s', (_, change) => {
    expect(refusal(forgeWords(invoice(), change))).toBe('the last field is cut off');
  });
});

describe('amounts and networks', () => {
  it.each([
    ['1', 100_000_000_000],
    ['1m', 100_000_000],
    ['1u', 100_000],
    ['1n', 100],
    ['10p', 1],
    ['90071992547409910p', Number.MAX_SAFE_INTEGER],
    ['90071', 9_007_100_000_000_000],
  ])('reads %s as %d msat', (amountText, amountMsat) => {
    expect(decodeBolt11(invoice([P, S, D], { amountText })).amountMsat).toBe(amountMsat);
  });

  it.each([
    ['0', /positive/],
    ['0p', /positive/],
    ['01m', /positive/],
    ['m', /positive/],
    ['1x', /multiplier/],
    ['1mm', /multiplier/],
    ['1.5m', /multiplier/],
    ['-1m', /multiplier/],
    ['1e3', /multiplier/],
    ['+1', /multiplier/],
    ['1p', /whole number of millisatoshis/],
    ['15p', /whole number of millisatoshis/],
    ['90071992547409920p', /too large/],
    ['90072', /too large/],
    ['9'.repeat(17), /too large/],
    ['9'.repeat(6000), /too large/],
  ])('refuses an amount of %s', (amountText, reason) => {
    expect(refusal(invoice([P, S, D], { amountText }))).toMatch(reason);
  });

  it.each(['bitcoin', 'testnet', 'signet', 'regtest'] as const)('knows %s, with an amount and without', (network) => {
    expect(decodeBolt11(invoice([P, S, D], { network })).network).toBe(network);
    expect(decodeBolt11(invoice([P, S, D], { network, amountMsat: 5 }))).toMatchObject({ network, amountMsat: 5 });
  });

  it.each(['lnsb', 'lnltc', 'ln', 'bc', 'lnurl', 'lno', 'xlnbc'])('refuses the prefix %s', (prefix) => {
    const { words } = bech32.decode(invoice(), false);
    expect(refusal(bech32.encode(prefix, words, false))).toMatch(/not an invoice of a Bitcoin network/);
  });
});

describe('signatures', () => {
  it('recovers the payee from both forms of S', () => {
    expect(decodeBolt11(invoice([P, S, D], { highS: true })).payee).toBe(SPEC_PAYEE);
  });

  it('demands the low-S form where the payee is stated', () => {
    expect(decodeBolt11(invoice([P, S, D, N])).payee).toBe(SPEC_PAYEE);
    expect(refusal(invoice([P, S, D, N], { highS: true }))).toMatch(/not that of the key in the n field/);
  });

  it('refuses a stated payee who did not sign, or who is no key', () => {
    const privateKey = '01'.repeat(32);
    expect(refusal(invoice([P, S, D, N], { privateKey }))).toMatch(/not that of the key in the n field/);
    expect(refusal(invoice([P, S, D, ['n', new Uint8Array(33)]]))).toMatch(/not that of the key in the n field/);
    expect(refusal(invoice([P, S, D, ['n', Uint8Array.of(4, ...new Uint8Array(32).fill(9))]]))).toMatch(/not that of the key/);
  });

  it('refuses a recovery id beyond 3 even where it is not needed', () => {
    const signature = bech32.fromWords(bech32.decode(invoice([P, S, D, N]), false).words.slice(-104));
    expect(decodeBolt11(invoice([P, S, D, N], { signature })).payee).toBe(SPEC_PAYEE);
    expect(refusal(invoice([P, S, D, N], { signature: signature.with(64, 4) }))).toMatch(/no valid recovery id/);
  });

  it.each([
    ['zeros', new Uint8Array(65)],
    ['ones', new Uint8Array(65).fill(0xff)],
    ['a recovery id of 4', Uint8Array.of(...new Uint8Array(64).fill(1), 4)],
    ['an overflowing recovery id', Uint8Array.of(...new Uint8Array(64).fill(0x7f), 2)],
  ])('refuses a signature of %s', (_, signature) => {
    expect(refusal(invoice([P, S, D], { signature }))).toMatch(/signature/);
  });

  it('I2: a forged amount keeps the hash, and is signed by nobody we know', () => {
    const genuine = invoice([P, S, D], { amountMsat: 1_000_000 });
    const forged = forgeAmount(genuine, 1_000);
    expect(forged).not.toBe(genuine);
    expect(attempt(forged)).toMatchObject({ paymentHash: HASH, amountMsat: 1_000 });
    expect(attempt(forged)?.payee).not.toBe(SPEC_PAYEE);
  });

  it('I2: where the payee is stated, a forged amount is refused', () => {
    const genuine = invoice([P, S, D, N], { amountMsat: 1_000_000 });
    expect(refusal(forgeAmount(genuine, 1_000))).toMatch(/not that of the key in the n field/);
  });
});

describe('how the text may look', () => {
  const text = invoice([P, S, D], { amountMsat: 21_000 });

  it.each([
    ['surrounding space', `\t ${text}\r\n`],
    ['lightning:', `lightning:${text}`],
    ['LIGHTNING: in upper case', `LIGHTNING:${text.toUpperCase()}`],
    ['Lightning: and upper case', ` Lightning:${text.toUpperCase()} `],
  ])('I3: accepts %s, and answers the canonical text', (_, given) => {
    expect(decodeBolt11(given)).toEqual(decodeBolt11(text));
    expect(decodeBolt11(given).paymentRequest).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['space', '   '],
    ['only the scheme', 'lightning:'],
    ['the scheme twice', `lightning:lightning:${text}`],
    ['two slashes', `lightning://${text}`],
    ['space inside', `${text.slice(0, 50)} ${text.slice(50)}`],
    ['letters that only become ASCII in lower case', text.toUpperCase().replace('K', '\u212a')],
    ['a query behind it', `${text}?amount=1`],
    ['two invoices', `${text}\n${text}`],
  ])('refuses %s', (_, given) => {
    expect(refusal(given)).not.toBe('not refused');
  });

  it('reads what the largest QR code holds, and nothing longer', () => {
    const filler = (words: number): Bolt11Field => ['2', zeros(words)];
    const fill = (length: number) => invoice([P, S, D, ...zeros(6).map(() => filler(1023)), filler(length)]);
    const spare = 7_089 - fill(0).length;
    expect(fill(spare)).toHaveLength(7_089);
    expect(decodeBolt11(fill(spare)).paymentHash).toBe(HASH);
    expect(refusal(fill(spare + 1))).toBe('it is too long');
  });
});

function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}

function attempt(text: string): Bolt11 | undefined {
  try {
    return decodeBolt11(text);
  } catch (error) {
    if (error instanceof InvalidInvoice) return undefined;
    throw error;
  }
}
