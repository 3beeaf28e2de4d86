import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { readDump } from '../../../src/features/import/lnpay/dump.ts';
import { collect } from '../collect.ts';

const folder = mkdtempSync(join(tmpdir(), 'satchel-dump-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(text: string | Uint8Array): string {
  const path = join(folder, `${++files}.sql`);
  writeFileSync(path, text);
  return path;
}

const END = '\n-- Dump completed on 2026-01-01  0:00:00\n';
const rowsOf = async (text: string) => (await collect(readDump(fileOf(text + END)))).map(({ values }) => values);

it('reads what MariaDB has written', async () => {
  const rows = await collect(readDump(join(import.meta.dirname, 'lnpay.sql')));
  const count = (table: string) => rows.filter((row) => row.table === table).length;
  expect([count('wallet'), count('wallet_transaction'), count('ln_tx'), count('user_access_key'), count('auth_assignment')]).toEqual([
    7, 16, 10, 57, 58,
  ]);
  const [till] = rows.filter(({ table }) => table === 'wallet');
  expect(JSON.parse(String(till?.values[till.columns.indexOf('json_data')]))).toEqual({
    till: 3,
    note: `it's a "test" \\ with\nlines; ('x'),`,
  });
  expect(till?.values[till.columns.indexOf('ln_node_id')]).toMatch(/^lnod_/);
});

it('reads every value that was escaped as MySQL does, in rows of any size', async () => {
  const escapes: Record<string, string> = { '\0': '\\0', '\n': '\\n', '\r': '\\r', '\\': '\\\\', "'": "\\'", '"': '\\"', '\x1a': '\\Z' };
  const escaped = (value: string | number | null) =>
    typeof value === 'string' ? `'${Array.from(value, (char) => escapes[char] ?? char).join('')}'` : value === null ? 'NULL' : `${value}`;
  const text = fc.string({ unit: fc.constantFrom(...`\0\n\r\\'"\x1a\t;,()\`-/*#ab0x é🎉`), maxLength: 40 });
  const value = fc.oneof(
    text,
    fc.integer(),
    fc.constant(null),
    text.map((part) => part.repeat(1000)),
  );
  const rows = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(rows, async (wanted) => {
      const list = wanted.map((row) => `(${row.map(escaped).join(',')})`).join(',\n');
      expect(await rowsOf(`CREATE TABLE \`t\` (\n  \`a\` text,\n  \`b\` text\n);\nINSERT INTO \`t\` VALUES\n${list};`)).toEqual(wanted);
    }),
    { numRuns: 60 },
  );
});

it.each([
  ['a list of columns', "INSERT INTO `t` (`a`, `b`) VALUES (1,'x');", [[1, 'x']]],
  ['one row per statement', "INSERT INTO `t` (`a`) VALUES ('x');\nINSERT INTO `t` (`a`) VALUES ('y');", [['x'], ['y']]],
  ['binary columns of MySQL and of --hex-blob', "INSERT INTO `t` (`a`,`b`) VALUES (_binary 'lnod_1',0x6C6E);", [['lnod_1', 'ln']]],
  ['doubled quotes', "INSERT INTO `t` (`a`) VALUES ('it''s');", [["it's"]]],
  ['decimals and large numbers', 'INSERT INTO `t` (`a`,`b`) VALUES (1.50,-9007199254740993);', [['1.50', '-9007199254740993']]],
  ['comments', "/*!40000 ALTER TABLE `t` DISABLE KEYS */;\n-- it's a comment (\n# another\nINSERT INTO `t` (`a`) VALUES (1);", [[1]]],
  [
    'statements with quotes and semicolons',
    "SET @a = 'x;y';\nCREATE TABLE `u` (`a` text COMMENT 'a;''b');\nINSERT INTO `t` (`a`) VALUES (1);",
    [[1]],
  ],
])('reads %s', async (_, text, wanted) => {
  expect(await rowsOf(text)).toEqual(wanted);
});

it.each([
  ['a row of a table without columns', "INSERT INTO `t` VALUES ('x');", /before its CREATE TABLE/],
  ['a row with too many values', "INSERT INTO `t` (`a`) VALUES ('x','y');", /2 values and not 1/],
  ['a function', 'INSERT INTO `t` (`a`) VALUES (now());', /cannot be read/],
  ['no parenthesis', 'INSERT INTO `t` (`a`) VALUES 1,2,3,4,5,6,7;', /cannot be read/],
])('refuses %s', async (_, text, message) => {
  await expect(rowsOf(text)).rejects.toMatchObject({ name: 'UnusableSource', message: expect.stringMatching(message) });
});

it('refuses a file that ends anywhere before the end of the dump', async () => {
  const whole = readFileSync(join(import.meta.dirname, 'lnpay.sql'));
  const end = whole.lastIndexOf('-- Dump completed');
  for (let i = 0; i < 150; i++) {
    const path = fileOf(whole.subarray(0, Math.floor((end * i) / 150)));
    await expect(collect(readDump(path))).rejects.toMatchObject({ name: 'UnusableSource' });
  }
});
