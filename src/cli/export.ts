import type { Command } from 'commander';
import type { WalletTransaction } from '../../client/satchel.js';
import type { Output } from './output.ts';
import { connectionOf, type ServiceCall, type ServiceOptions, serviceAction, withKey } from './service.ts';
import { EXIT, idParser, NotDone, noun, verb } from './verb.ts';

interface Period {
  readonly from?: number;
  readonly to?: number;
}

/** `satchel export`: statements, as CSV or as one JSON object per line. They are written while they are read. */
export function addExport(program: Command): void {
  const statement = noun(program, 'export', 'Export statements as CSV or JSON', 'export account > account.csv');

  const wallet = verb(statement, {
    name: 'wallet',
    summary: 'Export the statement of a wallet, oldest first',
    details: 'The output is CSV, or with --json one object per line. The wallet is one of the account of the key.',
    example: 'export wallet wal_… --from 2026-01-01 > alma.csv',
  }).argument('<wallet>', 'the id of the wallet', idParser('wal'));
  withPeriod(wallet).action(
    serviceAction<Period>(async (call) => {
      const [id = ''] = call.args;
      // An unknown wallet is refused before the output begins.
      await call.service.wallets.get(id);
      if (call.output.isJson)
        return exportJson(call.output, call.service.wallets.listTransactions(id, { ...PAGE, ...periodOf(call.options) }));
      let bytes = 0;
      for await (const text of readStatement(id, call.options)) {
        await call.output.write(text);
        bytes += text.length;
        call.output.progress(`${bytes} bytes`);
      }
      call.output.progress('');
      return EXIT.done;
    }),
  );

  const account = verb(statement, {
    name: 'account',
    summary: 'Export the statements of all wallets of the account of the key',
    details: 'The output is CSV, wallet after wallet, or with --json one object per line in the order of time.',
    example: 'export account --key-file customer.key --to 2026-12-31 > account.csv',
  });
  withPeriod(account).action(serviceAction<Period>(exportAccount));
}

const PAGE = { order: 'asc', 'per-page': 100 } as const;

function withPeriod(command: Command): Command {
  return withKey(command)
    .option('--from <date>', 'the first day in UTC, such as 2026-01-31', (text) => parseDay(text))
    .option('--to <date>', 'the last day in UTC', (text) => parseDay(text) + 86_399);
}

function periodOf({ from, to }: Period): Period {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

async function exportAccount({ service, output, options }: ServiceCall<Period>): Promise<number> {
  if (output.isJson) return exportJson(output, service.transactions.list({ ...PAGE, ...periodOf(options) }));
  let wallets = 0;
  for await (const { id } of service.wallets.list({ ...PAGE })) {
    let isHead = true;
    for await (const record of recordsOf(readStatement(id, options))) {
      if (!isHead || wallets === 0) await output.write(`${isHead ? 'wallet' : id},${record}`);
      isHead = false;
    }
    wallets += 1;
    output.progress(`${wallets} wallets`);
  }
  output.progress('');
  return EXIT.done;
}

async function exportJson(output: Output, transactions: AsyncIterable<WalletTransaction>): Promise<number> {
  let count = 0;
  for await (const one of transactions) {
    await output.print(one, '');
    count += 1;
    if (count % PAGE['per-page'] === 0) output.progress(`${count} transactions`);
  }
  output.progress('');
  return EXIT.done;
}

/** Reads the CSV of a wallet in pieces: the client would return it as one text. @throws NotDone */
async function* readStatement(id: string, options: Period & ServiceOptions): AsyncGenerator<string> {
  const { url, key } = connectionOf(options);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(periodOf(options))) query.set(name, String(value));
  const response = await fetch(`${url}/v1/wallet/${id}/statement?${query}`, { headers: { 'x-api-key': key } });
  if (!response.ok || !response.body) {
    const { message } = (await response.json().catch(() => ({}))) as { message?: string };
    throw new NotDone(`The statement of ${id} was not exported: ${message ?? `status ${response.status}`}`);
  }
  try {
    yield* response.body.pipeThrough(new TextDecoderStream());
  } catch {
    throw new NotDone(`The export is incomplete: the connection broke in the statement of ${id}. Export it again.`);
  }
}

/** Splits CSV into records. Line breaks in quotes do not end a record. */
export async function* recordsOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let isQuoted = false;
  for await (const piece of pieces) {
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      if (piece[at] === '"') isQuoted = !isQuoted;
      if (piece[at] !== '\n' || isQuoted) continue;
      yield rest + piece.slice(start, at + 1);
      [rest, start] = ['', at + 1];
    }
    rest += piece.slice(start);
  }
}

function parseDay(text: string): number {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse accepts 30 February.
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)) return ms / 1000;
  throw new NotDone('--from and --to must be days, such as 2026-01-31.');
}
