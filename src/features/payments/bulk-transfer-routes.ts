import { type Static, Type } from 'typebox';
import { termsOfKey } from '../../core/accounts/accounts.ts';
import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import { idsFrom } from '../../core/kernel/ids.ts';
import { floorSat, msat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { RunningTasks } from '../../core/kernel/running-tasks.ts';
import { PER_TURN, takeTurn } from '../../core/kernel/turns.ts';
import type { Receipt } from '../../core/ledger/ledger.ts';
import type { TransferLine } from '../../core/payments/transfer.ts';
import type { Converter } from '../../core/rates/rates.ts';
import type { Wallet, Wallets } from '../../core/wallets/wallets.ts';
import { AMOUNT, FIAT_AMOUNT, type RequestedAmount, readAnyAmount } from '../../http/amounts.ts';
import { type App, WALLET_BASES } from '../../http/app-type.ts';
import { checkLine, convertLine, linesOf, refusalOfLine } from '../../http/bulk.ts';
import { described, KeyParams, Memo, memoText, PassThru, passThruText, requestBody } from '../../http/fields.ts';
import type { RateLimits } from '../../http/limits/rate-limits.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { namedObject } from '../../http/responses/response-types.ts';
import type { TransferOut } from '../transactions/history.ts';
import type { PaymentRouteContext } from './run-payment.ts';
import { DestinationWallet, unknownDestination } from './transfer-routes.ts';

const Lines = linesOf(
  {
    dest_wallet_id: DestinationWallet,
    ...AMOUNT,
    ...FIAT_AMOUNT,
    memo: Type.Optional(described(Memo, 'The label of both transactions. At most 639 bytes in UTF-8')),
    passThru: Type.Optional(PassThru),
  },
  'One transfer each, in the order in which they are booked',
);

const BulkTransferObject = namedObject('BulkTransfer', {
  created_at: Type.Integer({ description: 'Unix seconds' }),
  source_wallet_id: Type.String({ description: 'The wallet that sent the money, `wal_…`' }),
  num_satoshis: Type.Integer({ description: 'The sum of the transfers in whole satoshis, rounded down' }),
  num_msat: Type.Integer({ description: 'The sum of the transfers in millisatoshis, exact' }),
  transfers: Type.Array(
    Type.Object({
      wtx_transfer_out_id: Type.String({ description: 'The transaction of the wallet that sent the money, `wtx_…`' }),
      wtx_transfer_in_id: Type.String({ description: 'The transaction of the wallet that received the money, `wtx_…`' }),
      dest_wallet_id: Type.String({ description: 'The wallet that received the money, `wal_…`' }),
      num_satoshis: Type.Integer({ description: 'The amount in whole satoshis, rounded down' }),
      num_msat: Type.Integer({ description: 'The amount in millisatoshis, exact' }),
      memo: Type.String({ description: 'The label of both transactions' }),
    }),
    { description: 'The transfers in the order of the lines' },
  ),
});

/** The schema of `POST …/transfers`. */
export const bulkTransferSchema = {
  operationId: 'bulkTransfer',
  tags: ['Money'],
  summary: 'Move money to many wallets of the account',
  description:
    'Makes up to 1,000 transfers, all or none. They have no routing fee, and are complete at once. The limits of the key count their sum. An error names ' +
    'the line, counted from 0: `lines[17].num_satoshis`. The body may have 1 MiB. It may also be CSV (`text/csv`), whose first row has the names ' +
    'of the fields of a line.',
  ...requires('wallet_transfer'),
  params: KeyParams,
  body: requestBody({ lines: Lines }),
  response: { 201: BulkTransferObject },
};

const MAX_PER_ACCOUNT = 4;

export function bulkTransferRoutes(
  app: App,
  deps: Omit<PaymentRouteContext, 'remoteLinks' | 'invoices' | 'objects'> & { readonly limits: RateLimits },
): void {
  const { access, runIdempotent, limits, wallets, payments, history } = deps;
  const tasks = new RunningTasks();
  const config = { isBulk: true, needsIdempotencyKey: true };
  for (const base of WALLET_BASES) {
    app.post(`${base}/transfers`, { schema: bulkTransferSchema, config }, async (request, reply) => {
      const { wallet: source, guards, credential } = await access.authorizeWallet(request, 'wallet_transfer');
      const converter = deps.rates.oneRate();
      const { lines: sent } = request.body;
      const checked: CheckedLine[] = [];
      for (const [index, line] of sent.entries()) {
        if (index % PER_TURN.lines === 0) await takeTurn();
        checked.push(checkLine(index, () => readLine(converter, line)));
      }
      const transfers = await tasks.run(source.accountId, MAX_PER_ACCOUNT, tooMany, () =>
        runIdempotent(
          request,
          reply,
          { credential, walletId: source.id },
          {
            async make({ rows }): Promise<TransferOut[]> {
              limits.chargeLines(request, sent.length);
              const lines = await withAmounts(await withDestinations(wallets, source, checked));
              await takeTurn();
              const extraRows = (firstId: string) => rows(`${firstId} ${lines.length}`);
              const order = { source, lines, guards, ...termsOfKey(credential.key), extraRows, unit: unitOf(lines) };
              return transfersOf(await payments.transferToMany(order), lines);
            },
            replay(made) {
              const [firstId = '', count] = made.split(' ');
              return history.transfersOut(idsFrom(firstId, Number(count)));
            },
          },
        ),
      );
      return reply.code(201).send(renderTransfers(source, transfers));
    });
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'rate_limited',
    'Too many requests with lines are running for this account. This request moved nothing. Try again later.',
  );
}

type CheckedLine = ReturnType<typeof readLine>;

function readLine(converter: Converter, { dest_wallet_id, memo, passThru, ...amount }: Static<typeof Lines>[number]) {
  return {
    destinationText: dest_wallet_id,
    readAmount: readAnyAmount(converter, amount),
    memo: memo === undefined ? undefined : memoText(memo),
    passThru: passThruText(passThru),
  };
}

function unitOf(lines: readonly RequestedAmount[]): RequestedAmount['unit'] {
  return lines.every(({ unit }) => unit === 'sat') ? 'sat' : 'msat';
}

/** Finds the wallets of the lines. @throws Refusal `not_found`, `same_wallet` */
async function withDestinations(wallets: Wallets, source: Wallet, lines: readonly CheckedLine[]) {
  const texts = [...new Set(lines.map(({ destinationText }) => destinationText))];
  const found = new Map<string, Wallet | undefined>();
  for (let start = 0; start < texts.length; start += PER_TURN.lines) {
    await takeTurn();
    const some = texts.slice(start, start + PER_TURN.lines);
    await Promise.all(some.map(async (text) => found.set(text, (await wallets.resolve(text))?.wallet)));
  }
  return lines.map(({ destinationText, ...line }, index) => {
    const destination = found.get(destinationText);
    if (destination?.accountId !== source.accountId) throw refusalOfLine(index, unknownDestination());
    if (destination.id === source.id) throw refusalOfLine(index, new Refusal('same_wallet'));
    return { ...line, destination };
  });
}

async function withAmounts<T extends Pick<CheckedLine, 'readAmount'>>(lines: readonly T[]): Promise<(T & RequestedAmount)[]> {
  const read: (T & RequestedAmount)[] = [];
  for (const [index, line] of lines.entries()) read.push({ ...line, ...(await convertLine(index, line.readAmount)) });
  return read;
}

function transfersOf({ transfers }: Receipt, lines: readonly TransferLine[]): TransferOut[] {
  // Each may be followed by its fee.
  const made = transfers.filter(({ fromType }) => fromType === 'ln_transfer_out');
  return made.map(({ id, amountMsat, memo = '', createdAtMs }, index) => {
    const destinationId = lines[index]?.destination.id ?? '';
    return { id, amountMsat, memo, destinationId, createdAt: Math.floor(createdAtMs / 1000) };
  });
}

function renderTransfers(source: Wallet, transfers: readonly TransferOut[]): Static<typeof BulkTransferObject> {
  const sumMsat = msat(transfers.reduce((sum, { amountMsat }) => sum + amountMsat, 0));
  return {
    created_at: transfers[0]?.createdAt ?? 0,
    source_wallet_id: source.id,
    num_satoshis: floorSat(sumMsat),
    num_msat: sumMsat,
    transfers: transfers.map(({ id, amountMsat, memo, destinationId }) => ({
      wtx_transfer_out_id: walletTransactionId(id, 'from'),
      wtx_transfer_in_id: walletTransactionId(id, 'to'),
      dest_wallet_id: destinationId,
      num_satoshis: floorSat(amountMsat),
      num_msat: amountMsat,
      memo,
    })),
  };
}
