import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDestination, recognize } from '../../web/src/screens/send/destination.ts';
import { defaultFeeLimit, parseFeeLimit } from '../../web/src/screens/send/limits.ts';

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const DATA = CHARSET.repeat(4);
const INVOICE = `lnbc20u1${DATA}`;
const LNURL = `lnurl1${CHARSET}`;
const NODE = `02${'ab'.repeat(32)}`;

describe('a destination', () => {
  it.each([
    ['nothing', ' ', { kind: 'empty' }],
    ['an invoice', INVOICE, { kind: 'invoice', text: INVOICE }],
    ['an invoice in upper case', INVOICE.toUpperCase(), { kind: 'invoice', text: INVOICE.toUpperCase() }],
    ['an invoice in a URI', `lightning:${INVOICE}`, { kind: 'invoice', text: INVOICE }],
    ['an invoice that a mail has wrapped', `${INVOICE.slice(0, 60)}\n ${INVOICE.slice(60)}`, { kind: 'invoice', text: INVOICE }],
    ['an invoice without an amount', `lnbcrt1${DATA}`, { kind: 'invoice', text: `lnbcrt1${DATA}` }],
    ['an invoice in a bitcoin: URI', `bitcoin:bc1q?amount=0.00002&lightning=${INVOICE}`, { kind: 'invoice', text: INVOICE }],
    ['an LNURL', LNURL, { kind: 'lnurl', text: LNURL, linkKind: 'unknown' }],
    ['an LNURL in a web address', `https://a.example/?lightning=${LNURL}`, { kind: 'lnurl', text: LNURL, linkKind: 'unknown' }],
    ['a pay link', 'lnurlp://a.example/x', { kind: 'lnurl', text: 'lnurlp://a.example/x', linkKind: 'pay' }],
    ['a withdraw link', 'lnurlw://a.example/x', { kind: 'lnurl', text: 'lnurlw://a.example/x', linkKind: 'withdraw' }],
    ['a Lightning address', 'tips@podcast.example', { kind: 'address', text: 'tips@podcast.example' }],
    ['a Lightning address with a port', 'tips@127.0.0.1:4021', { kind: 'address', text: 'tips@127.0.0.1:4021' }],
    ['a node key', NODE.toUpperCase(), { kind: 'node', text: NODE }],
    ['a node key with its host', `${NODE}@1.2.3.4:9735`, { kind: 'node', text: NODE }],
    ['a login link', 'keyauth://a.example/x', { kind: 'unusable', reason: 'login' }],
    ['the connection of an app', `nostr+walletauth://${'ab'.repeat(32)}?relay=wss://r.example`, { kind: 'unusable', reason: 'app' }],
    ['a BOLT12 offer', 'lno1pqps7sjqpgt', { kind: 'unusable', reason: 'offer' }],
    ['a Bitcoin address', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', { kind: 'unusable', reason: 'bitcoin' }],
    ['a bitcoin: URI without an invoice', 'bitcoin:bc1qar0s', { kind: 'unusable', reason: 'bitcoin' }],
    ['half an invoice', INVOICE.slice(0, 30), { kind: 'unusable', reason: 'unknown' }],
    ['a sentence with an address', 'pay tips@podcast.example', { kind: 'unusable', reason: 'unknown' }],
  ])('is recognized: %s', (_, text, expected) => {
    expect(recognize(text)).toEqual(expected);
    expect(isDestination(text)).toBe(expected.kind !== 'empty' && expected.kind !== 'unusable');
  });

  it('never throws, and is not looked for in long texts', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => recognize(text).kind !== undefined));
    expect(isDestination(`${INVOICE}${'q'.repeat(5000)}`)).toBe(false);
  });
});

describe('the fee limit', () => {
  it('is by default that of the service, and with the amount never more than the balance', () => {
    expect(defaultFeeLimit(12_460, 1_000_000)).toBe(623);
    expect(defaultFeeLimit(5, 1000)).toBe(10);
    expect(defaultFeeLimit(995, 1000)).toBe(5);
    expect(defaultFeeLimit(1001, 1000)).toBe(0);
  });

  it('is a whole number of sats, 0 or more', () => {
    expect(parseFeeLimit('1\u202f000')).toBe(1000);
    expect(parseFeeLimit('0')).toBe(0);
    for (const text of ['', '-1', '1.5', 'x', '99999999999999999']) expect(parseFeeLimit(text)).toBeUndefined();
  });
});
