import { randomBytes } from 'node:crypto';
import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { pointFromScalar } from 'tiny-secp256k1';
import { amountText, type Bolt11Field, encodeBolt11, featureWords, numberWords } from '../../devnet/fake/bolt11-encoder.ts';
import { type Bolt11, decodeBolt11, InvalidInvoice } from '../../src/core/lightning/bolt11/bolt11.ts';

/*
 * Generates signed invoices with all tagged fields of BOLT11, valid and odd ones. Their payees are keys that no node has. Some have hops through
 * nodes that exist, so that an HTLC is sent and comes back.
 */

/** 33-byte public keys in hex of nodes that the paying node reaches, and its own. */
export interface KnownNodes {
  readonly peers: readonly string[];
  readonly own: string;
}

/** An x coordinate that is not on the curve. */
const OFF_CURVE = Buffer.from(`02${'00'.repeat(31)}05`, 'hex');
const LETTERS = [...'qpzry9x8gf2tvdw0s3jn54khce6mua7l'];

const bytes = (...lengths: number[]) => fc.constantFrom(...lengths).chain((n) => fc.uint8Array({ minLength: n, maxLength: n }));
const hash = bytes(32);
const word = fc.integer({ min: 0, max: 31 });
const words = (maxLength: number) => fc.array(word, { maxLength });
const privateKey = hash.map((key) => Buffer.from(Uint8Array.of(1, ...key.subarray(1))).toString('hex'));

/** A number as words, mostly minimal, sometimes with leading zeros. */
function number(...values: number[]): fc.Arbitrary<number[]> {
  const value = fc.oneof(fc.constantFrom(...values), fc.nat(100_000));
  const zeros = fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(14) });
  return fc.tuple(value, zeros).map(([one, more]) => [...Array<number>(more).fill(0), ...numberWords(one)]);
}

function field(letter: string, data: fc.Arbitrary<readonly number[] | Uint8Array>): fc.Arbitrary<Bolt11Field> {
  return data.map((one) => [letter, one] as const);
}

const description = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.string({ maxLength: 639 }), fc.constantFrom('', '\u0000'));
const finalCltv = number(0, 1, 9, 18, 144, 2012, 2013, 2014, 2016, 2017, 10_000, 65_535, 65_536, 65_554, 2 ** 32, 2 ** 40, 2 ** 51);
const expiry = number(0, 1, 60, 3600, 2 ** 31, 2 ** 33, 9_223_372_037, 2 ** 40, 2 ** 51);
const BITS = [8, 9, 14, 15, 16, 17, 20, 21, 24, 25, 31, 48, 49, 50, 55, 100, 101, 149, 263, 1023];

const features = fc
  .tuple(fc.subarray(BITS, { minLength: 1, maxLength: 5 }), fc.nat(2))
  .map(([bits, zeros]) => [...Array<number>(zeros).fill(0), ...featureWords(bits)]);
const fallback = fc
  .tuple(fc.constantFrom(0, 1, 2, 16, 17, 18, 19, 31), bytes(0, 1, 2, 19, 20, 20, 21, 32, 32, 33, 40, 41))
  .map(([version, program]) => [version, ...bech32.toWords(Uint8Array.from(program))]);

function hops({ peers, own }: KnownNodes): fc.Arbitrary<Uint8Array> {
  const point = privateKey.map((key) => Buffer.from(pointFromScalar(Buffer.from(key, 'hex'), true) ?? []));
  const known = fc.constantFrom(...peers.map((key) => Buffer.from(key, 'hex')));
  const node = fc.oneof(
    { weight: 6, arbitrary: known },
    { weight: 6, arbitrary: point },
    { weight: 1, arbitrary: fc.constantFrom(OFF_CURVE, Buffer.from(own, 'hex')) },
  );
  const fees = fc.oneof(fc.constantFrom([0, 0], [1000, 1]), fc.tuple(fc.nat(0xffff_ffff), fc.nat(0xffff_ffff)));
  const hop = fc.record({ node, channel: bytes(8), fees, delta: fc.constantFrom(0, 9, 40, 144, 2016, 65_535) });
  return fc.array(hop, { minLength: 1, maxLength: 3 }).map((all) =>
    Buffer.concat(
      all.map(({ node: key, channel, fees: [base = 0, rate = 0], delta }) => {
        const rest = Buffer.alloc(10);
        rest.writeUInt32BE(base, 0);
        rest.writeUInt32BE(rate, 4);
        rest.writeUInt16BE(delta, 8);
        return Buffer.concat([key, channel, rest]);
      }),
    ),
  );
}

/** Fields of the wrong length, of unknown types, and such as only one may exist. */
const odd = fc.oneof(
  field('p', words(60)),
  field('s', words(60)),
  field('n', fc.oneof(words(54), bytes(33))),
  field('h', words(53)),
  field('d', words(20)),
  fc.tuple(fc.constantFrom(...LETTERS), words(200)).map(([letter, data]) => [letter, data] as const),
);

function fieldsOf(nodes: KnownNodes): fc.Arbitrary<Bolt11Field[]> {
  const text = fc.oneof(
    field(
      'd',
      description.map((one) => new TextEncoder().encode(one)),
    ),
    field('h', hash),
  );
  const optional = [
    field('x', expiry),
    field('c', finalCltv),
    field('9', features),
    field('m', bytes(0, 1, 32, 300, 600)),
    field('f', fallback),
    field('r', hops(nodes)),
    field('r', hops(nodes)),
  ];
  const some = fc.tuple(...optional.map((one) => fc.option(one, { nil: undefined, freq: 1 })));
  const more = fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(odd, { minLength: 1, maxLength: 2 }) });
  return fc
    .tuple(field('p', hash), field('s', hash), text, some, more)
    .map(([p, s, one, rest, others]) => [p, s, one, ...rest.filter((each) => each !== undefined), ...others])
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }));
}

const amount = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 60_000 }).map(amountText) },
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('1n', '10p', '9007199254740991', '1p', '0', '2500000m', '20m', '12345678901234567p') },
);

/** Fields with a cheap hop through a node that exists, to which the HTLC is sent. */
function reachableFields({ peers }: KnownNodes): fc.Arbitrary<Bolt11Field[]> {
  const channel = bytes(8);
  const hop = fc
    .tuple(fc.constantFrom(...peers), channel, finalCltv, fc.boolean())
    .map(([peer, id, c, hasCltv]): Bolt11Field[] => [
      ['r', Buffer.concat([Buffer.from(peer, 'hex'), id, Buffer.from('00000000000000000028', 'hex')])],
      ...(hasCltv ? [['c', c] as const] : []),
    ]);
  const ordinary = fc.constantFrom([9, 15], [8, 14, 17], [8, 14, 20], [9, 15, 17, 31]).map(featureWords);
  return fc
    .tuple(field('p', hash), field('s', hash), field('h', hash), field('9', ordinary), hop)
    .map(([p, s, h, bits, more]) => [p, s, h, bits, ...more]);
}

/** Texts of invoices, of which the decoder may reject some. `nowSeconds`: Unix seconds. */
export function anyInvoice(nodes: KnownNodes, nowSeconds: number): fc.Arbitrary<string> {
  const timestamp = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 3000 }).map((age) => nowSeconds - age) },
    { weight: 1, arbitrary: fc.constantFrom(0, nowSeconds - 4000, nowSeconds + 31_536_000, 2 ** 35 - 1) },
  );
  const network = fc.oneof(
    { weight: 40, arbitrary: fc.constant('regtest') },
    { weight: 1, arbitrary: fc.constantFrom('bitcoin', 'signet') },
  );
  const fields = fc.oneof({ weight: 5, arbitrary: fieldsOf(nodes) }, { weight: 1, arbitrary: reachableFields(nodes) });
  const draft = fc.record({ network, amountText: amount, timestamp, fields, privateKey, highS: fc.boolean() });
  return draft.map((one) => encodeBolt11({ ...one, network: one.network as 'regtest' }));
}

/** Returns the first invoices of a seed that the decoder accepts. */
export function acceptedInvoices(count: number, seed: number, nodes: KnownNodes): { text: string; invoice: Bolt11 }[] {
  const accepted: { text: string; invoice: Bolt11 }[] = [];
  const all = anyInvoice(nodes, Math.floor(Date.now() / 1000));
  for (let batch = 0; accepted.length < count; batch++) {
    for (const text of fc.sample(all, { numRuns: 500, seed: seed + batch })) {
      try {
        accepted.push({ text, invoice: decodeBolt11(text) });
      } catch (error) {
        if (!(error instanceof InvalidInvoice)) throw error;
      }
    }
  }
  return accepted.slice(0, count);
}

/** A seed that the test prints, or that of a run to repeat. */
export function seedOf(env = process.env): number {
  return Number(env.INVOICE_SEED ?? randomBytes(3).readUIntBE(0, 3));
}
