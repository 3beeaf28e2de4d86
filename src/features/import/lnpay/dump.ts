import { createReadStream } from 'node:fs';
import { UnusableSource } from '../source.ts';

/** A value as the dump has it: whole numbers without quotes are numbers. */
export type DumpValue = string | number | null;

/** One row of an INSERT statement. */
export interface DumpRow {
  readonly table: string;
  readonly columns: readonly string[];
  readonly values: readonly DumpValue[];
}

/** One row or one other statement. A row of LNPay has at most a few hundred kilobytes. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** The last line of mysqldump and mariadb-dump. */
const END = /^-- Dump completed/m;
const END_LENGTH = 200;

/**
 * Reads the rows of all INSERT statements in a file of mysqldump or mariadb-dump, in their order. The columns are those of the INSERT, or of the CREATE
 * TABLE before it. Memory does not depend on the size of the file.
 * @throws UnusableSource
 */
export async function* readDump(path: string): AsyncIterable<DumpRow> {
  const columnsOf = new Map<string, readonly string[]>();
  const text = new DumpText(path);
  for (;;) {
    await text.skipComments();
    if (text.isAtEnd()) break;
    const insert = await text.match(/(?:INSERT|REPLACE)(?: IGNORE)? INTO `(\w+)`\s*(?:\(([^)]*)\)\s*)?VALUES\s*/iy);
    if (!insert) {
      const statement = await text.takeStatement();
      const table = /^CREATE TABLE (?:IF NOT EXISTS )?`(\w+)`/i.exec(statement)?.[1];
      if (table !== undefined) columnsOf.set(table, columnsIn(statement));
      continue;
    }
    const [, table = '', list] = insert;
    const columns = list === undefined ? columnsOf.get(table) : namesIn(list);
    if (!columns)
      throw new UnusableSource(`The dump has rows of the table ${table} before its CREATE TABLE. Make the dump without --no-create-info.`);
    for (;;) {
      const values = await text.takeRow(table);
      if (values.length !== columns.length)
        throw new UnusableSource(
          `A row of the table ${table} has ${values.length} values and not ${columns.length}. The dump is damaged: make a new one.`,
        );
      yield { table, columns, values };
      if ((await text.match(/\s*([,;])\s*/y))?.[1] !== ',') break;
    }
  }
  if (!END.test(text.tail()))
    throw new UnusableSource(
      'The dump is not complete: its last line must be `-- Dump completed`. Make a new one, without --compact and --skip-comments.',
    );
}

function columnsIn(createTable: string): string[] {
  return Array.from(createTable.matchAll(/^\s*`(\w+)` /gm), ([, name = '']) => name);
}

function namesIn(list: string): string[] {
  return Array.from(list.matchAll(/`(\w+)`/g), ([, name = '']) => name);
}

/** The part of the file that was read and not used yet. */
class DumpText {
  readonly #chunks: AsyncIterator<string>;
  #buffer = '';
  #at = 0;
  #isEnded = false;
  #tail = '';

  constructor(path: string) {
    const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: 1024 * 1024 });
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<string>;
  }

  isAtEnd(): boolean {
    return this.#isEnded && this.#at >= this.#buffer.length;
  }

  /** Returns the last characters of the file, after its end. */
  tail(): string {
    return this.#tail;
  }

  /** Matches a sticky expression of a few hundred characters. */
  async match(expression: RegExp): Promise<RegExpExecArray | undefined> {
    while (!this.#isEnded && this.#buffer.length - this.#at < MATCH_LENGTH) await this.#read();
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#buffer);
    if (found) this.#at = expression.lastIndex;
    return found ?? undefined;
  }

  /** Comments that only MySQL executes set variables, which have no effect on the rows. */
  async skipComments(): Promise<void> {
    for (;;) {
      await this.match(/[\s;]*/y);
      if (await this.match(/(?:--(?=\s)|#)/y)) await this.#take((text, from) => indexAfter(text, '\n', from));
      else if (await this.match(/\/\*/y)) await this.#take((text, from) => indexAfter(text, '*/', from));
      else return;
    }
  }

  /** Takes a statement, without the semicolon that ends it. */
  takeStatement(): Promise<string> {
    return this.#take(endOfStatement);
  }

  /** Takes the values in parentheses. */
  async takeRow(table: string): Promise<DumpValue[]> {
    const values: DumpValue[] = [];
    await this.#take((text, from) => {
      values.length = 0;
      return parseRow(text, from, values, table);
    });
    return values;
  }

  /** Takes the text up to the index that `endOf` returns; undefined: more text is needed. */
  async #take(endOf: (text: string, from: number) => number | undefined): Promise<string> {
    for (;;) {
      const end = endOf(this.#buffer, this.#at);
      if (end !== undefined) {
        const taken = this.#buffer.slice(this.#at, end);
        this.#at = end;
        return taken;
      }
      if (this.#isEnded) {
        const rest = this.#buffer.slice(this.#at);
        if (rest.includes('`') || rest.includes('('))
          throw new UnusableSource('The dump ends in the middle of a statement. Make a new one.');
        this.#at = this.#buffer.length;
        return rest;
      }
      if (this.#buffer.length - this.#at > MAX_LENGTH)
        throw new UnusableSource(`The dump has a row or statement of more than ${MAX_LENGTH} characters.`);
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) this.#isEnded = true;
    else {
      this.#buffer = this.#buffer.slice(this.#at) + value;
      this.#at = 0;
      this.#tail = (this.#tail + value).slice(-END_LENGTH);
    }
  }
}

/** Longer than the name of any table and the list of its columns. */
const MATCH_LENGTH = 8192;

function indexAfter(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from);
  return at < 0 ? undefined : at + end.length;
}

function endOfStatement(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === ';') return at;
    if (char !== "'" && char !== '"' && char !== '`') continue;
    const end = endOfQuoted(text, at);
    if (end === undefined) return undefined;
    at = end - 1;
  }
  return undefined;
}

/** Returns the index after the closing quote, which may be doubled or escaped inside. */
function endOfQuoted(text: string, from: number): number | undefined {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote !== '`') at++;
    else if (text[at] === quote) {
      if (at + 1 >= text.length) return undefined;
      if (text[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return undefined;
}

/** Hexadecimal bytes come first: their first digit is a number, too. */
const LITERAL = /0x[0-9a-f]+|NULL|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/iy;
/** MySQL puts it before the texts of binary columns. */
const BINARY = '_binary ';

/** Adds the values of the row that begins at `from`. Returns the index after it; undefined if the text ends before. @throws UnusableSource */
function parseRow(text: string, from: number, values: DumpValue[], table: string): number | undefined {
  const damaged = () =>
    new UnusableSource(`A row of the table ${table} in the dump cannot be read. Make a new dump with mysqldump or mariadb-dump.`);
  if (from >= text.length) return undefined;
  if (text[from] !== '(') throw damaged();
  let at = from;
  do {
    at += 1;
    if (text.length - at <= BINARY.length && BINARY.startsWith(text.slice(at))) return undefined;
    if (text.startsWith(BINARY, at)) at += BINARY.length;
    const isText = text[at] === "'";
    const end = isText ? endOfQuoted(text, at) : endOfLiteral(text, at);
    // Without a character after it, a value may not be complete.
    if (end === undefined || end >= text.length) return undefined;
    if (end === at) throw damaged();
    values.push(isText ? unescaped(text.slice(at + 1, end - 1)) : literal(text.slice(at, end)));
    at = end;
  } while (text[at] === ',');
  if (text[at] !== ')') throw damaged();
  return at + 1;
}

function endOfLiteral(text: string, from: number): number {
  // A word that has only begun.
  if (text.length - from < 4) return text.length;
  LITERAL.lastIndex = from;
  return LITERAL.test(text) ? LITERAL.lastIndex : from;
}

function literal(text: string): DumpValue {
  if (/^null$/i.test(text)) return null;
  if (/^0x/i.test(text)) return Buffer.from(text.slice(2), 'hex').toString('utf8');
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '0': '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' };

function unescaped(text: string): string {
  if (!text.includes('\\') && !text.includes("'")) return text;
  return text.replace(/\\([\s\S])|''/g, (_, char?: string) => (char === undefined ? "'" : (ESCAPES[char] ?? char)));
}
