import { describe, expect, it } from 'vitest';
import { batchReads } from '../../src/core/db/batched-reads.ts';
import type { Database, SqlParameter } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';

type Thing = { id: string };

const one = statement<Thing>('thing', 'SELECT id FROM thing WHERE id = $1');
const many = statement<Thing>('things', 'SELECT id FROM thing WHERE id = ANY($1::text[])');

/** A database with the rows a and b. */
function things() {
  const read: [string, SqlParameter][] = [];
  const own = { read, failure: undefined as Error | undefined };
  const all = async ({ name }: Statement, ids: SqlParameter) => {
    read.push([name, ids]);
    if (own.failure) throw own.failure;
    return ['b', 'a'].filter((id) => [ids].flat().includes(id)).map((id) => ({ id }));
  };
  return Object.assign(own, { find: batchReads({ all } as unknown as Database, { one, many }) });
}

describe('reads of rows by id', () => {
  it('in one turn of the event loop share a statement', async () => {
    const { find, read } = things();
    expect(await Promise.all(['a', 'x', 'b', 'a'].map(find))).toEqual([{ id: 'a' }, undefined, { id: 'b' }, { id: 'a' }]);
    expect(read).toEqual([['things', ['a', 'x', 'b']]]);
    expect(await find('a')).toEqual({ id: 'a' });
    expect(read.slice(1)).toEqual([['thing', 'a']]);
  });

  it('fail together, and do not fail later ones', async () => {
    const own = things();
    own.failure = new Error('away');
    const results = await Promise.allSettled([own.find('a'), own.find('b')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    own.failure = undefined;
    expect(await own.find('a')).toEqual({ id: 'a' });
  });
});
