import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { closeOnSignals, GRACE_MS } from '../../src/signals.ts';

let onSignal: (signal: string) => void = () => undefined;
let exited: unknown[] = [];
let written = '';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  [exited, written] = [[], ''];
  vi.spyOn(process, 'on').mockImplementation((_name, listener) => {
    onSignal = listener;
    return process;
  });
  vi.spyOn(process, 'exit').mockImplementation((code) => exited.push(code) as never);
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written += text;
      return true;
    });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('exits within the time that a service manager allows, even if a commit waits for a missing standby', async () => {
  closeOnSignals('Satchel', () => new Promise(() => undefined));
  onSignal('SIGTERM');
  await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
  expect(exited).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(exited).toEqual([1]);
  expect(written).toMatch(/still running after 25 seconds. Committed data is not affected/);
});

it('exits cleanly as soon as everything has ended', async () => {
  closeOnSignals('Satchel', () => Promise.resolve());
  onSignal('SIGTERM');
  await vi.advanceTimersByTimeAsync(0);
  expect(exited).toEqual([0]);
});

it('exits at once at a second signal, but not at the copy that npm forwards', async () => {
  closeOnSignals('Satchel', () => new Promise(() => undefined));
  onSignal('SIGINT');
  await vi.advanceTimersByTimeAsync(500);
  onSignal('SIGINT');
  expect(exited).toEqual([]);
  await vi.advanceTimersByTimeAsync(1000);
  onSignal('SIGINT');
  expect(exited).toEqual([1]);
});
