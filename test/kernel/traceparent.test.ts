import { expect, it } from 'vitest';
import { parseTraceparent } from '../../src/core/kernel/tracing.ts';

const [TRACE, SPAN] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

it('reads the trace, the span and the sampled flag of a traceparent', () => {
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ traceFlags: 0 });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-fe`)).toMatchObject({ traceFlags: 0 });
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`)).toMatchObject({ traceId: TRACE });
});

it.each([
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(100)}`,
])('ignores the invalid traceparent "%s"', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
