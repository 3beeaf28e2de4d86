import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { STREAM_TIMING, Streams } from '../../src/features/events/streams.ts';
import { WaitingSlots } from '../../src/http/limits/callers.ts';
import { silentLog } from '../support/ledger.ts';

const request = { ip: '203.0.113.1', headers: {}, query: {} } as unknown as FastifyRequest;

/** A response whose client can disconnect with `raw.emit('close')`. */
function openReply() {
  const raw = Object.assign(new EventEmitter(), { destroyed: false, setHeader() {}, writeHead() {}, write: () => true, end() {} });
  const reply = { raw, headers: () => reply, hijack: () => reply, getHeaders: () => ({}) };
  return reply as unknown as FastifyReply;
}

it('ends the timers of a stream whose client disconnected before the first frame', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const slots = new WaitingSlots({ ofKey: 1, ofAccount: 1, ofAddress: 1, ofAll: 1 });
  const streams = new Streams({ slots, log: silentLog, timing: STREAM_TIMING });
  const reply = openReply();
  async function* frames() {
    reply.raw.emit('close');
    yield 'id: 1\n\n';
  }
  await streams.send(request, reply, { frames });
  expect(vi.getTimerCount()).toBe(0);
});
