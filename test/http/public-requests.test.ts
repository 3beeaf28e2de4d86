import { expect, it } from 'vitest';
import { publicOperations, WORST_PUBLIC } from '../../bench/rows/public-requests.ts';
import { drawQr } from '../../src/http/pages/qr-drawings.ts';

it('measures in a benchmark how long each public operation delays others', () => {
  const operations = publicOperations();
  expect(operations).toEqual(expect.arrayContaining(['payLink', 'logIn']));
  expect(operations.filter((name) => !(name in WORST_PUBLIC))).toEqual([]);
});

it('draws QR codes without occupying the thread of the requests', async () => {
  const request = { ip: '203.0.113.1' } as Parameters<typeof drawQr>[0];
  let cycles = 0;
  let isDrawing = true;
  const count = () => {
    cycles += 1;
    if (isDrawing) setImmediate(count);
  };
  setImmediate(count);
  const png = await drawQr(request, { format: 'png', text: `lightning:${'A'.repeat(1400)}` });
  isDrawing = false;
  expect(Buffer.from(png).subarray(1, 4).toString()).toBe('PNG');
  // Drawn in this thread, it would be complete before the first cycle.
  expect(cycles).toBeGreaterThan(1);
});

it('rejects a text that no QR code can contain, and draws the next one', async () => {
  const request = { ip: '203.0.113.1' } as Parameters<typeof drawQr>[0];
  await expect(drawQr(request, { format: 'svg', text: 'a'.repeat(5000) })).rejects.toThrow('does not fit');
  expect(await drawQr(request, { format: 'svg', text: 'a' })).toMatch(/^<svg/);
});
