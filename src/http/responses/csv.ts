import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { insideRequest } from '../../core/kernel/booking-mark.ts';
import { takeTurn } from '../../core/kernel/turns.ts';

/** Sends rows as a file with this name, while they are read: each text of the source in a turn, so at most `PER_TURN.rows` rows. */
export function sendCsvFile(request: FastifyRequest, reply: FastifyReply, name: string, rows: AsyncIterable<string>): FastifyReply {
  reply.header('content-disposition', `attachment; filename="${name}.csv"`);
  // Fastify would read all rows for HEAD.
  return reply
    .type('text/csv; charset=utf-8')
    .send(Readable.from(request.method === 'HEAD' ? [] : insideRequest(withByteOrderMark(inTurns(rows)))));
}

/** Yields each text in a turn, which is charged for the bytes of the one before it. */
async function* inTurns(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const iterator = texts[Symbol.asyncIterator]();
  try {
    for (let bytes = 0; ; ) {
      await takeTurn(bytes);
      const { done, value } = await iterator.next();
      if (done) return;
      bytes = Buffer.byteLength(value);
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Excel reads a file without this mark in the encoding of its country, not in UTF-8. */
async function* withByteOrderMark(rows: AsyncIterable<string>): AsyncGenerator<string> {
  yield '\uFEFF';
  yield* rows;
}

/**
 * Puts an apostrophe before what a spreadsheet would run as a formula; labels come from strangers. A spreadsheet may also split a cell at
 * a semicolon, a tab or a line break, so the text after each of them counts as the start of a cell. Full-width signs count as signs.
 */
export function withoutFormula(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g, "'");
}

/** Returns a row of CSV. */
export function csvRow(fields: readonly (string | number)[]): string {
  return `${fields.map(quoted).join(',')}\r\n`;
}

/** Quotes a field as RFC 4180 requires, and where a spreadsheet might take a character for a separator. */
function quoted(field: string | number): string {
  const text = String(field);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
