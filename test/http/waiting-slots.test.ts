import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { WaitingSlots } from '../../src/http/limits/callers.ts';

const slots = () => new WaitingSlots({ ofKey: 3, ofAccount: 5, ofAddress: 2, ofAll: 6 });

/** A request with a key that was checked, or with one that was only sent. */
function requestFrom(
  ip: string,
  { checked, sent, account = 'acc_1' }: { checked?: string; sent?: string; account?: string } = {},
): FastifyRequest {
  const headers = sent === undefined ? {} : { 'x-api-key': sent };
  return {
    ip,
    headers,
    query: {},
    credential: checked === undefined ? undefined : { text: checked, key: { accountId: account } },
  } as unknown as FastifyRequest;
}

function take(of: WaitingSlots, request: FastifyRequest, raw = Object.assign(new EventEmitter(), { destroyed: false })) {
  return { isTaken: of.take(request, { raw } as unknown as FastifyReply), close: () => raw.emit('close') };
}

const takeMany = (of: WaitingSlots, count: number, request: (i: number) => FastifyRequest) =>
  Array.from({ length: count }, (_, i) => take(of, request(i))).filter(({ isTaken }) => isTaken);

it('has a number of slots for each key, from any address, and gives them back', () => {
  const some = slots();
  const taken = takeMany(some, 5, (i) => requestFrom(`203.0.113.${i}`, { checked: 'sak_1' }));
  expect(taken.length).toBe(3);
  expect(take(some, requestFrom('203.0.113.1', { checked: 'sak_2' })).isTaken).toBe(true);
  taken[0]?.close();
  expect(take(some, requestFrom('203.0.113.9', { checked: 'sak_1' })).isTaken).toBe(true);
});

it('counts the slots of all keys of an account together, so that one account cannot take them all', () => {
  const some = slots();
  expect(takeMany(some, 10, (i) => requestFrom('203.0.113.1', { checked: `sak_${i}` })).length).toBe(5);
  expect(take(some, requestFrom('203.0.113.1', { checked: 'sak_of_another', account: 'acc_2' })).isTaken).toBe(true);
});

it('counts requests without a key, with a public one and with made-up ones against their address', () => {
  const some = slots();
  const requests = [{}, { checked: 'pak_1' }, { sent: 'sak_1' }, { sent: 'sak_2' }];
  expect(takeMany(some, 4, (i) => requestFrom('203.0.113.1', requests[i])).length).toBe(2);
  expect(take(some, requestFrom('203.0.113.2')).isTaken).toBe(true);
});

it('has a number of slots in total, also for a proxy on this machine', () => {
  expect(takeMany(slots(), 10, () => requestFrom('127.0.0.1')).length).toBe(6);
  expect(takeMany(slots(), 10, (i) => requestFrom(`203.0.113.${i}`)).length).toBe(6);
});

it('keeps no slot for a client that has disconnected', () => {
  const some = slots();
  const gone = Object.assign(new EventEmitter(), { destroyed: true });
  for (let i = 0; i < 5; i++) expect(take(some, requestFrom('203.0.113.1'), gone).isTaken).toBe(true);
  expect(takeMany(some, 5, () => requestFrom('203.0.113.1')).length).toBe(2);
});
