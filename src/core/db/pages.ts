import { pauseTransaction } from '../kernel/turns.ts';
import type { Row, SqlParameter, SqlReader } from './database.ts';
import type { Statement } from './statement.ts';

/**
 * Reads the rows of a statement page by page. The statement's last parameter is its LIMIT; `parametersAfter` returns the others, given the last
 * row of the page before. Ends after the first page that is not full, which may be empty. Other requests run between two pages.
 */
export async function* readPages<R extends Row>(
  database: SqlReader,
  statement: Statement<R>,
  limit: number,
  parametersAfter: (last: R | undefined) => readonly SqlParameter[],
): AsyncGenerator<R[]> {
  for (let last: R | undefined, isLast = false; !isLast; ) {
    if (last) await pauseTransaction();
    const page: R[] = await database.all(statement, ...parametersAfter(last), limit);
    yield page;
    last = page.at(-1);
    isLast = page.length < limit;
  }
}
