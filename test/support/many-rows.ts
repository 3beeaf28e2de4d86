import type { App } from './app.ts';

/**
 * Inserts many copies of one row of a table into the database of a service on SQLite. Ids and other values of unique indexes differ; text ids keep their
 * prefix and length. @param preferred a condition: a row that fulfils it is copied, if there is one
 */
export async function multiplyRow({ rows, execute }: Pick<App, 'rows' | 'execute'>, table: string, count: number, preferred = 'true') {
  const columns = await rows(`SELECT name, type FROM pragma_table_info('${table}') ORDER BY cid`);
  const references = new Set(
    (await rows(`SELECT "from" AS name FROM pragma_foreign_key_list('${table}')`)).map(({ name }) => String(name)),
  );
  const unique = await rows(
    `SELECT i.name AS "index", c.name AS name FROM pragma_index_list('${table}') i, pragma_index_info(i.name) c WHERE i."unique" = 1
     UNION ALL SELECT 'primary key', name FROM pragma_table_info('${table}') WHERE pk > 0`,
  );
  const changed = new Set<string>();
  for (const columnsOfIndex of Map.groupBy(unique, ({ index }) => index).values()) {
    const names = columnsOfIndex.map(({ name }) => String(name));
    const free = names.filter((name) => !references.has(name));
    if (!names.some((name) => changed.has(name))) changed.add(free.at(-1) ?? names.at(-1) ?? '');
  }
  const values = columns.map(({ name, type }) => {
    if (!changed.has(String(name))) return `one."${name}"`;
    if (type === 'INTEGER') return `(SELECT max("${name}") FROM ${table}) + i`;
    if (type === 'BLOB') return `randomblob(length(one."${name}"))`;
    return `CASE WHEN length(one."${name}") > 8 THEN substr(one."${name}", 1, length(one."${name}") - 8) ELSE one."${name}" END || printf('%08d', i)`;
  });
  const names = columns.map(({ name }) => `"${name}"`).join();
  await execute(
    `INSERT INTO ${table} (${names})
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     SELECT ${values.join()} FROM n, (SELECT * FROM ${table} ORDER BY (${preferred}) DESC LIMIT 1) AS one`,
  );
}
