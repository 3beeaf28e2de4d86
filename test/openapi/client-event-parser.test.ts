import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEventParser, type EventMessage } from '../../client/event-parser.js';

/** Parses a text that arrives in pieces that end at these places. */
function parse(text: string, cuts: readonly number[] = []): EventMessage[] {
  const parser = createEventParser();
  const ends = [...new Set([...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return ends.flatMap((end, index) => parser.push(text.slice(ends[index - 1] ?? 0, end)));
}

const LINE_ENDS = ['\n', '\r\n', '\r'] as const;
const words = fc.stringMatching(/^[a-z :é🧡]{0,8}$/u);
const message = fc.record({
  id: fc.option(
    words.filter((text) => !text.startsWith(' ')),
    { nil: undefined },
  ),
  event: fc.stringMatching(/^[a-z]{1,8}$/),
  data: fc.array(words, { minLength: 1, maxLength: 3 }),
  comment: fc.boolean(),
});

it('reads messages with any line end, split at any place', () => {
  const property = fc.property(
    fc.array(message, { maxLength: 5 }),
    fc.constantFrom(...LINE_ENDS),
    fc.array(fc.nat(400)),
    (messages, lineEnd, cuts) => {
      const text = messages
        .flatMap(({ id, event, data, comment }) => [
          ...(comment ? [': heartbeat'] : []),
          ...(id === undefined ? [] : [`id: ${id}`]),
          `event: ${event}`,
          ...data.map((line) => `data: ${line}`),
          '',
          '',
        ])
        .map((line) => line + lineEnd)
        .join('');
      // A carriage return at the end may belong to a line feed that follows.
      const read = parse(`${text}:${lineEnd}`, cuts);
      expect(read).toEqual(messages.map(({ id, event, data }) => ({ id, event, data: data.join('\n') })));
    },
  );
  fc.assert(property, { numRuns: 500 });
});

it('follows the rules of the standard for fields', () => {
  expect(parse('data\n\n')).toEqual([{ id: undefined, event: 'message', data: '' }]);
  expect(parse('data:x\ndata:  y\n\n')).toEqual([{ id: undefined, event: 'message', data: 'x\n y' }]);
  expect(parse('id: 1\n\n')).toEqual([{ id: '1', event: 'message', data: '' }]);
  expect(parse('id: a\0b\nfield: x\n data: y\nevent: e\n\n')).toEqual([]);
  expect(parse('data: not complete\n')).toEqual([]);
});

it('returns the wait of the server', () => {
  const parser = createEventParser();
  expect(parser.retryMs).toBeUndefined();
  parser.push('retry: soon\nretry: 2500\n');
  expect(parser.retryMs).toBe(2500);
});
