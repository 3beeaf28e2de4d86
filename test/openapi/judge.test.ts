import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { createJudge } from './conformance/judge.ts';
import { committedApi, operationsOf } from './conformance/operations.ts';

const document = committedApi();
const judge = createJudge(document);
const health = operationsOf(document).find(({ operation }) => operation.operationId === 'getHealth');
const wallets = operationsOf(document).find(({ operation }) => operation.operationId === 'listWallets');

const SAFE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=()',
};
const USUAL = { ...SAFE, 'x-request-id': 'a', 'content-security-policy': "default-src 'none'", 'content-type': 'application/json' };

const HEALTHY = { status: 'ok', version: '0.1.0', commit: null, schema: 1, api: '1' };

function judged(walked: typeof health, status: number, body: unknown, headers: Record<string, string> = USUAL): string[] {
  if (!walked) throw new Error('the operation is gone');
  const response: HttpResponse = { status, body, headers: new Headers(headers), text: JSON.stringify(body) };
  return judge(walked, response);
}

describe('the judge of the conformance test', () => {
  it('accepts a response that matches the description', () => {
    expect(judged(health, 200, HEALTHY)).toEqual([]);
    expect(judged(wallets, 200, [])).toEqual([]);
  });

  it.each<[string, typeof health, number, unknown, Record<string, string>?]>([
    ['a status that is not declared', health, 204, HEALTHY],
    ['a field that is not declared', health, 200, { ...HEALTHY, secret: 'sak_1' }],
    ['a field of another type', health, 200, { ...HEALTHY, status: 1 }],
    ['a field that is missing', health, 200, {}],
    ['a header that is not declared', health, 200, HEALTHY, { ...USUAL, 'x-powered-by': 'luck' }],
    ['a header that is missing', health, 200, HEALTHY, { 'content-type': 'application/json' }],
    ['another kind of content', health, 200, HEALTHY, { ...USUAL, 'content-type': 'text/html' }],
    ['a field too many deep in a list', wallets, 200, [{ id: 'wal_1' }]],
    ['an error that is not the error object', wallets, 400, { error: 'no' }],
    [
      'an error whose type belongs to another status',
      wallets,
      400,
      { name: 'Bad Request', message: 'no', code: 0, status: 400, type: 'not_found', request_id: 'a' },
    ],
  ])('sees %s', (_, walked, status, body, headers) => {
    expect(judged(walked, status, body, headers)).not.toEqual([]);
  });
});
