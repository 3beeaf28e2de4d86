import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** A place where data is stored, and all of its content. */
export interface Place {
  readonly name: string;
  readonly holds: string | Buffer;
}

/** Reads every file below a folder, including databases with their -wal and -shm files. */
export function filesOf(folder: string): Place[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name, holds: readFileSync(join(folder, name)) }));
}

/** Reads every row of every table of a PostgreSQL database as text, with bytes in hex. */
export async function rowsOf(databaseUrl: string): Promise<Place[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    const places: Place[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
      places.push({ name, holds: rows.map(({ row }) => row).join('\n') });
    }
    return places;
  } finally {
    await client.end();
  }
}
