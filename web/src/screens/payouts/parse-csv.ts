import { msatOfInvoice, readPaymentText } from '../../../../src/core/kernel/payment-text.ts';
import { payouts as texts } from '../../texts/en-payouts.ts';

/** A line as the API takes it. */
export interface CsvLine {
  destination: string;
  num_satoshis?: number;
  num_msat?: number;
  amount?: string;
  currency?: string;
  memo?: string;
  comment?: string;
  fee_limit_msat?: number;
}

/** What a text contains. Only a text without problems can be sent. */
export interface ParsedCsv {
  readonly lines: readonly CsvLine[];
  /** The sum of the amounts in the text and in its invoices. */
  readonly sumMsat: number;
  /** The sum of the fee limits. Payments inside the service use nothing of them. */
  readonly feeLimitMsat: number;
  /** The number of lines without an amount: invoices that state theirs. */
  readonly ownAmounts: number;
  /** The number of lines with an amount in a currency, which the service converts. */
  readonly prices: number;
  readonly problems: readonly string[];
}

const MAX_LINES = 1000;
const COLUMNS: readonly string[] = ['destination', 'num_satoshis', 'num_msat', 'memo', 'comment', 'fee_limit_msat', 'amount', 'currency'];

const AMOUNTS = ['num_satoshis', 'num_msat', 'amount'] as const;

/** Parses CSV for the preview. The service checks everything again, and addresses and invoices first. */
export function parseCsv(text: string): ParsedCsv {
  const rows = rowsOf(text.replace(/^\uFEFF/, ''));
  if (!rows) return failed(texts.unfinished);
  const [head = [], ...rest] = rows;
  const names = head.map((name) => name.trim());
  while (names.at(-1) === '') names.pop();
  const unknown = names.find((name) => !COLUMNS.includes(name));
  if (!names.includes('destination')) return failed(texts.noHeader);
  if (unknown !== undefined) return failed(texts.unknownColumn(unknown));
  if (rest.length > MAX_LINES) return failed(texts.tooMany);
  const lines: CsvLine[] = [];
  const problems: string[] = [];
  for (const [index, cells] of rest.entries()) {
    const line = lineOf(new Map(cells.map((cell, column) => [names[column] ?? '', cell.trim()])));
    // Rows count from 1, and the first one has the names.
    if (typeof line === 'string') problems.push(texts.row(index + 2, line));
    else lines.push(line);
  }
  const sumMsat = lines.reduce((sum, line) => sum + amountMsatOf(line), 0);
  const feeLimitMsat = lines.reduce((sum, line) => sum + feeLimitMsatOf(line), 0);
  const ownAmounts = lines.filter((line) => AMOUNTS.every((name) => line[name] === undefined)).length;
  const prices = lines.filter(({ amount }) => amount !== undefined).length;
  return { lines, sumMsat, feeLimitMsat, ownAmounts, prices, problems };
}

function failed(problem: string): ParsedCsv {
  return { lines: [], sumMsat: 0, feeLimitMsat: 0, ownAmounts: 0, prices: 0, problems: [problem] };
}

/** Returns a line, or its problem. */
function lineOf(cells: ReadonlyMap<string, string>): CsvLine | string {
  const [destination, sat, msat, memo, comment, fee, amount, currency] = COLUMNS.map((name) => cells.get(name) || undefined);
  if (destination === undefined) return texts.noDestination;
  if ([sat, msat, amount].filter((one) => one !== undefined).length > 1) return texts.twoAmounts;
  if ((amount === undefined) !== (currency === undefined)) return texts.noCurrency;
  if (amount !== undefined && !isDecimal(amount)) return texts.badPrice;
  if ([sat, msat].some((one) => one !== undefined && !/^[1-9]\d{0,15}$/.test(one))) return texts.badAmount;
  if (sat === undefined && msat === undefined && amount === undefined && invoiceMsat(destination) === undefined) return texts.noAmount;
  return {
    destination,
    ...(sat !== undefined && { num_satoshis: Number(sat) }),
    ...(msat !== undefined && { num_msat: Number(msat) }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
    ...(memo !== undefined && { memo }),
    ...(comment !== undefined && { comment }),
    ...(fee !== undefined && { fee_limit_msat: Number(fee) }),
  };
}

function amountMsatOf({ destination, num_satoshis, num_msat, amount }: CsvLine): number {
  if (num_satoshis !== undefined) return num_satoshis * 1000;
  return num_msat ?? (amount === undefined ? (invoiceMsat(destination) ?? 0) : 0);
}

/** Returns the fee limit of a line: the service's default is 5 % of the amount, at least 10 sats. Transfers to wallets have no fee. */
function feeLimitMsatOf(line: CsvLine): number {
  if (line.destination.startsWith('wal')) return 0;
  return line.fee_limit_msat ?? Math.max(10_000, Math.floor(amountMsatOf(line) / 20));
}

/** Returns the amount of an invoice, alone or in a URI, in msat; undefined for another receiver and without an amount. */
function invoiceMsat(destination: string): number | undefined {
  const found = readPaymentText(destination);
  return found.kind === 'invoice' ? (msatOfInvoice(found.text) ?? found.amountMsat) : undefined;
}

/** Returns whether a text is a decimal number above 0. The service checks the digits of the currency. */
function isDecimal(text: string): boolean {
  return /^(0|[1-9]\d{0,14})(\.\d{1,4})?$/.test(text) && /[1-9]/.test(text);
}

/** Splits CSV (RFC 4180) into rows without empty ones; undefined if a quotation mark has no end. */
function rowsOf(text: string): string[][] | undefined {
  // The names of the columns contain no separators. Spreadsheets write semicolons where the comma is the decimal sign.
  const separator = /[,;\t]/.exec(/^[^\r\n]*/.exec(text)?.[0] ?? '')?.[0] ?? ',';
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    cells.push(cell);
    if (cells.some((one) => one.trim() !== '')) rows.push(cells);
    [cells, cell] = [[], ''];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell.trim() === '') [isQuoted, cell] = [true, ''];
    else if (letter === separator) {
      cells.push(cell);
      cell = '';
    } else if (letter === '\n' || letter === '\r') endRow();
    else cell += letter;
  }
  endRow();
  return isQuoted ? undefined : rows;
}
