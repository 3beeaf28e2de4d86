import { expect, it } from 'vitest';
import { RenderedLists } from '../../src/features/lndhub/rendered-lists.ts';

/** Counts the reads of lists of about a megabyte. */
function largeLists() {
  const lists = new RenderedLists();
  let reads = 0;
  const read = async () => {
    reads += 1;
    return ['x'.repeat(2 ** 20)];
  };
  const isRead = async (name: string, version = 1) => {
    const before = reads;
    await lists.get(name, `${version}`, read);
    return reads > before;
  };
  return { lists, isRead };
}

it('an unchanged list is rendered once, and is the same Buffer from then on', async () => {
  const lists = new RenderedLists();
  const get = (version: number) => lists.get('a', `${version}`, async () => [version]);
  expect(await get(1)).toBe('[1]');
  const again = await get(1);
  expect(again).toEqual(Buffer.from('[1]'));
  expect(await get(1)).toBe(again);
  expect(await get(2)).toBe('[2]');
  expect(await get(1)).toBe('[1]');
});

it('lists beyond the maximum of memory are read each time, and take no space from others', async () => {
  const { isRead } = largeLists();
  for (let i = 0; i < 40; i++) expect(await isRead(`${i}`)).toBe(true);
  let known = 0;
  for (let i = 0; i < 40; i++) known += (await isRead(`${i}`)) ? 0 : 1;
  expect(known).toBe(15);
  // A new version takes the space of the old one.
  for (let version = 2; version < 40; version++) expect(await isRead('0', version)).toBe(true);
  expect(await isRead('0', 39)).toBe(false);
});
