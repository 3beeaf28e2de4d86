import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadFrame, encodeFrame, FrameReader } from '../../../devnet/playground/frames.ts';

describe('frames', () => {
  it('arrive whole and in order however the network cuts them', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat(40)), (texts, cuts) => {
        const sent = texts.map((message) => ({ type: 'rejected', message }) as const);
        let rest = Buffer.from(sent.map(encodeFrame).join(''));
        const reader = new FrameReader(10_000);
        const read = [];
        for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
          read.push(...reader.read(rest.subarray(0, cut)));
          rest = rest.subarray(cut);
        }
        expect(read).toEqual(JSON.parse(JSON.stringify(sent)));
      }),
    );
  });

  it('are taken up to the limit and not a byte beyond, in one piece or many', () => {
    const frame = Buffer.from(encodeFrame({ type: 'beat' }));
    const limit = frame.length - 1;
    expect([...new FrameReader(limit).read(frame)]).toEqual([{ type: 'beat' }]);
    expect(() => [...new FrameReader(limit - 1).read(frame)]).toThrow(BadFrame);
    const reader = new FrameReader(limit - 1);
    expect(() => [...frame].flatMap((byte) => [...reader.read(Buffer.of(byte))])).toThrow(BadFrame);
  });
});
