import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';

/** A command that ends when its database is closed, with as many commits as start the thread of checkpoints. */
const put = statement('test_put', 'INSERT INTO service_fact (name, value) VALUES ($1, $2)');
const database = await openDatabase(`sqlite:${process.argv[2]}`, { log: console });
for (let i = 0; i < 250; i += 1) await database.transaction((tx) => tx.run(put, `name ${i}`, 'x'.repeat(50_000)));
await database.close();
process.stdout.write('closed\n');
