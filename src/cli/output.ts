import { once } from 'node:events';
import { table } from './table.ts';

/** The columns of a list: the heading, the text of an item, and whether it is aligned to the right. */
export interface Column<T> {
  readonly name: string;
  readonly isRight?: boolean;
  text(item: T): string;
}

/** Where a command writes its result. */
export type Output = ReturnType<typeof createOutput>;

const ROWS_PER_BLOCK = 100;

export function createOutput({ isJson }: { readonly isJson: boolean }) {
  quitOnClosedPipe();

  async function printRows<T>(items: readonly T[], columns: readonly Column<T>[], widths: number[], hasHead: boolean): Promise<void> {
    const head = hasHead ? [columns.map(({ name }) => name)] : [];
    const right = columns.flatMap(({ isRight }, index) => (isRight ? [index] : []));
    await write(
      `${fitToTerminal(table([...head, ...items.map((item) => columns.map(({ text }) => withoutControls(text(item), ' ')))], right, widths))}\n`,
    );
  }

  return {
    isJson,

    /** Prints a result: as text, or as JSON in one line. */
    print: (value: unknown, text: string): Promise<void> => write(isJson ? `${JSON.stringify(value)}\n` : `${withoutControls(text)}\n`),

    /** Prints a list while it is read: as a table, or as one line of JSON per item. */
    async list<T>(items: AsyncIterable<T> | Iterable<T>, columns: readonly Column<T>[], ifEmpty: string): Promise<void> {
      let block: T[] = [];
      let isFirst = true;
      const widths: number[] = [];
      for await (const item of items) {
        if (isJson) await write(`${JSON.stringify(item)}\n`);
        else if (block.push(item) === ROWS_PER_BLOCK) {
          await printRows(block, columns, widths, isFirst);
          [block, isFirst] = [[], false];
        }
      }
      if (isJson) return;
      if (block.length > 0) await printRows(block, columns, widths, isFirst);
      else if (isFirst) await write(`${ifEmpty}\n`);
    },

    write,

    /** Shows progress in a terminal, on standard error, so that the output can be piped. An empty text removes it. */
    progress(text: string): void {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
    },

    flush: () => write(''),
  };
}

/** Waits until the reader has taken the text, so that a long list needs little memory. */
async function write(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Removes control characters: labels come from strangers, and a terminal would obey them. Only `lineBreak` remains of line breaks. */
export function withoutControls(text: string, lineBreak = '\n'): string {
  return text.replace(/\p{Cc}/gu, (control) => (control === '\n' ? lineBreak : ' '));
}

/** Shortens the lines to the width of the terminal. Files and pipes get whole lines. */
export function fitToTerminal(text: string, columns = process.stdout.isTTY ? process.stdout.columns : undefined): string {
  if (!columns) return text;
  const lines = text.split('\n');
  return lines.map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line)).join('\n');
}

/** The reader may stop reading, as `head` does. The action of a command is complete before its result is written. */
function quitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? (process.exitCode ?? 0) : 2));
}
