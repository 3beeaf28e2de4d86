import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPaymentText } from '../../src/core/kernel/payment-text.ts';
import { encodeLnurl } from '../../src/core/lightning/bech32.ts';
import { recognize } from '../../web/src/screens/send/destination.ts';
import cases from './cases/payment-texts.json' with { type: 'json' };

const INVOICE = `lnbc20u1${'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.repeat(4)}`;
const LNURL = encodeLnurl('https://pay.example/lnurlp/17');
const filled = (text: string) =>
  text
    .replaceAll('<invoice>', INVOICE)
    .replaceAll('<INVOICE>', INVOICE.toUpperCase())
    .replaceAll('<lnurl>', LNURL.toLowerCase())
    .replaceAll('<LNURL>', LNURL);

describe('a text that names a receiver', () => {
  it.each(cases.receivers)('%j is read by the service and the dashboard as %s', (text, kind, receiver) => {
    const read = readPaymentText(filled(text));
    expect([read.kind === 'link' ? 'lnurl' : read.kind, 'text' in read && read.text]).toEqual([kind, filled(receiver)]);
    expect(recognize(filled(text))).toMatchObject({ kind, text: filled(receiver) });
  });

  it.each(cases.unusable)('%j cannot be used: %s', (text, reason) => {
    const { kind } = readPaymentText(filled(text));
    expect(kind === 'web' ? 'unknown' : kind).toBe(reason);
    expect(recognize(filled(text))).toEqual(reason === 'empty' ? { kind: 'empty' } : { kind: 'unusable', reason });
  });

  it('is an invoice or an LNURL also when a mail has wrapped it', () => {
    for (const whole of [INVOICE, LNURL])
      expect(readPaymentText(`${whole.slice(0, 40)}\r\n ${whole.slice(40)}`)).toMatchObject({ text: whole });
  });

  it('requests the amount of its URI if the invoice has none', () => {
    const open = INVOICE.replace('20u', '');
    expect(readPaymentText(`bitcoin:?amount=0.00012&lightning=${open}`)).toEqual({ kind: 'invoice', text: open, amountMsat: 12_000_000 });
    for (const amount of ['x', '1e3', '-1', '99999999', '0.000000001'])
      expect([amount, readPaymentText(`bitcoin:?amount=${amount}&lightning=${open}`).kind]).toEqual([amount, 'ambiguous']);
  });

  it('has the amount of its invoice, whose millisatoshis a URI cannot state', () => {
    const of = (hrp: string, amount: string) =>
      readPaymentText(`bitcoin:?amount=${amount}&lightning=${INVOICE.replace('lnbc20u', hrp)}`).kind;
    const same = [
      ['lnbc20u', '0.00002'],
      ['lnbc1', '1.00000000'],
      ['lnbcrt3m', '0.003'],
      ['lntb15n', '0.00000001'],
      ['lntbs15n', '0.00000002'],
      ['lnbc2500010p', '0.00000250'],
    ] as const;
    for (const [hrp, amount] of same) expect([hrp, of(hrp, amount)]).toEqual([hrp, 'invoice']);
    for (const [hrp] of same) expect([hrp, of(hrp, '0.5')]).toEqual([hrp, 'ambiguous']);
  });

  it('is read without an error, whatever it is', () => {
    const part = fc.constantFrom(
      'bitcoin:',
      'lightning:',
      '?lightning=',
      '&amount=',
      '₿',
      '@',
      '%',
      '\u200b',
      ' ',
      INVOICE,
      LNURL,
      'a.example',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(fc.property(text, (one) => readPaymentText(one).kind !== undefined && recognize(one).kind !== undefined));
  });
});
