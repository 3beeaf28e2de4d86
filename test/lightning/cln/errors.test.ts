import { describe, expect, it } from 'vitest';
import { ERRORS, meaningOf, ResponseLost, RpcError } from '../../../src/core/lightning/cln/errors.ts';
import { recording } from './replay.ts';

/** A recorded or observed message for each row of the table, in its order. */
const OBSERVED: readonly (readonly [name: string, meaning: string])[] = [
  [error(1501, 'Not authorized: Missing rune'), 'not_permitted'],
  [error(1502, 'Not permitted: method is not equal to getinfo'), 'not_permitted'],
  [error(-32601, "Unknown command 'xpay'"), 'not_permitted'],
  ['xpay-fail-garbage-invoice', 'invalid_request'],
  ['xpay-fail-expired', 'expired'],
  ['xpay-fail-too-big-for-us', 'no_route'],
  ['xpay-fail-fee0-multihop', 'fee_limit'],
  ['xpay-fail-unknown-at-destination', 'rejected'],
  ['xpay-fail-temporary-failure-retry', 'gave_up'],
  ['xpay-fail-partial_msat', 'timed_out'],
  ['xpay-already-paid', 'already_paid'],
  ['xpay-duplicate-in-flight', 'in_flight'],
  [error(-4, 'Plugin terminated before replying to RPC call.'), 'unknown'],
  ['invoice-dup-label-other-preimage', 'invoice_exists'],
  ['invoice-dup-label-same-preimage', 'invoice_exists'],
  ['delinvoice-not-found', 'invoice_missing'],
  ['delinvoice-already-paid', 'invoice_not_unpaid'],
  [error(1200, 'Key does not exist'), 'key_missing'],
  ['datastore-exists', 'key_exists'],
  [error(1203, 'Key does not exist'), 'key_missing'],
  [error(1204, 'generation is different'), 'key_changed'],
];

describe('the table of errors', () => {
  it('has a tested message for each row', () => {
    expect(OBSERVED).toHaveLength(ERRORS.length);
    OBSERVED.forEach(([source], index) => {
      const { code, message } = errorOf(source);
      const row: { code: number; text?: string } | undefined = ERRORS[index];
      expect(code).toBe(row?.code);
      expect(message.startsWith(row?.text ?? '')).toBe(true);
    });
  });

  it.each(OBSERVED)('%s means %s', (source, meaning) => {
    const { code, message } = errorOf(source);
    expect(meaningOf(new RpcError(code, message))).toBe(meaning);
  });

  it.each([
    new RpcError(200, 'Timed out while waiting'),
    new RpcError(-1, 'something new'),
    new RpcError(207, 'something new'),
    new RpcError(209, 'something new'),
    new RpcError(-3, 'something new'),
    new ResponseLost('the connection broke'),
    new Error('Already paid this invoice successfully'),
    undefined,
  ])('everything else is unknown: %s', (other) => {
    expect(meaningOf(other)).toBe('unknown');
  });
});

function error(code: number, message: string): string {
  return JSON.stringify({ error: { code, message } });
}

function errorOf(source: string): { code: number; message: string } {
  const text = source.startsWith('{') ? source : recording(source).response;
  return (JSON.parse(text) as { error: { code: number; message: string } }).error;
}
