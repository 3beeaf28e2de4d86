import { type Static, Type } from 'typebox';
import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import { floorSat, msat } from '../../core/kernel/money.ts';
import { FIAT_COLUMNS, FIAT_RESULT, fiatCells, fiatFields } from '../../http/amounts.ts';
import { csvRow, withoutFormula } from '../../http/responses/csv.ts';
import { anyObject, namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import type { ListedLine, Payout } from './payouts.ts';

const PAYOUT_FIELDS = {
  id: Type.String({ description: 'The id of the payout, `payout_…`' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  wallet_id: Type.String({ description: 'The wallet that pays, `wal_…`' }),
  user_label: Type.String({ description: 'Your label' }),
  status: oneOf(['running', 'finished'], { description: '`finished`: each line is `paid` or `failed`' }),
  cancelled_at: nullable(Type.Integer({ description: 'When it was cancelled, in Unix seconds; null if it was not' })),
  finished_at: nullable(Type.Integer({ description: 'When its last line had ended, in Unix seconds; null while it is running' })),
  num_lines: Type.Integer({ description: 'The number of lines' }),
  num_pending: Type.Integer({ description: 'The number of lines that have not started' }),
  num_sending: Type.Integer({ description: 'The number of lines whose payment is pending' }),
  num_paid: Type.Integer({ description: 'The number of lines that were paid' }),
  num_failed: Type.Integer({ description: 'The number of lines that were not paid' }),
  num_satoshis: Type.Integer({ description: 'The sum of all lines in whole satoshis, rounded down, without fees' }),
  num_msat: Type.Integer({ description: 'The sum of all lines in millisatoshis, exact, without fees' }),
  paid_msat: Type.Integer({ description: 'The sum of the lines that were paid, in millisatoshis, without fees' }),
};

export const PayoutObject = namedObject('Payout', PAYOUT_FIELDS);

export const PayoutLineObject = namedObject('PayoutLine', {
  line: Type.Integer({ description: 'The number of the line, from 0' }),
  destination: Type.String({ description: 'The id of a wallet, the invoice, or the Lightning address or LNURL' }),
  num_satoshis: Type.Integer({ description: 'The amount in whole satoshis, rounded down' }),
  num_msat: Type.Integer({ description: 'The amount in millisatoshis, exact' }),
  ...FIAT_RESULT,
  memo: nullable(Type.String({ description: 'The label that was ordered; null for none' })),
  passThru: anyObject('The JSON object of the line, as the transaction has it'),
  status: oneOf(['pending', 'sending', 'paid', 'failed'], {
    description:
      '`pending`: it has not started. `sending`: its payment is pending, and its money is held. `paid`. `failed`: nothing was paid for it, ' +
      'unless `failure_reason` is `restored`, which means that it is not known',
  }),
  failure_reason: nullable(
    Type.String({
      description: 'Why it failed: the type of an error, such as `insufficient_balance`, or of the network, such as `NO_ROUTE`',
    }),
  ),
  failure_message: nullable(Type.String({ description: 'The reason as a sentence; null if `failure_reason` needs no explanation' })),
  lntx_id: nullable(Type.String({ description: 'The payment, `lntx_…`; null for a transfer to a wallet, and before it started' })),
  wtx_id: nullable(Type.String({ description: 'The transaction of the wallet, `wtx_…`; null before it started' })),
  fee_msat: nullable(Type.Integer({ description: 'The fee of the payment in millisatoshis; null until it was paid' })),
});

export const PayoutWithLinesObject = namedObject('PayoutWithLines', {
  ...PAYOUT_FIELDS,
  lines: Type.Array(PayoutLineObject, { description: 'A page of the lines' }),
});

export function renderPayout(payout: Payout): Static<typeof PayoutObject> {
  const { id, createdAt, walletId, userLabel, cancelledAt, finishedAt, numLines, counts, amountMsat, paidMsat } = payout;
  return {
    id,
    created_at: createdAt,
    wallet_id: walletId,
    user_label: userLabel,
    status: finishedAt === null ? 'running' : 'finished',
    cancelled_at: cancelledAt,
    finished_at: finishedAt,
    num_lines: numLines,
    num_pending: counts.pending,
    num_sending: counts.sending,
    num_paid: counts.paid,
    num_failed: counts.failed,
    num_satoshis: floorSat(msat(amountMsat)),
    num_msat: amountMsat,
    paid_msat: paidMsat,
  };
}

export function renderLine(line: ListedLine): Static<typeof PayoutLineObject> {
  const { destination, amountMsat, fiat, memo, passThru, state, failureReason, failureMessage, paymentId, feeMsat } = line;
  const transferId = line.transferId ?? line.paymentTransferId;
  return {
    line: line.line,
    destination,
    num_satoshis: floorSat(msat(amountMsat)),
    num_msat: amountMsat,
    ...fiatFields(fiat),
    memo,
    passThru: passThru === null ? {} : JSON.parse(passThru),
    status: state,
    failure_reason: failureReason,
    failure_message: failureMessage,
    lntx_id: paymentId,
    wtx_id: transferId === null ? null : walletTransactionId(transferId, 'from'),
    fee_msat: state === 'paid' ? feeMsat : null,
  };
}

export const REPORT_HEADER = `line,destination,num_msat,memo,status,failure_reason,failure_message,lntx_id,wtx_id,fee_msat,${FIAT_COLUMNS},comment_not_sent\r\n`;

/** Returns the row of a line in the report. */
export function reportRow(listed: ListedLine): string {
  const rendered = renderLine(listed);
  const { line, destination, num_msat, memo, status, failure_reason, failure_message, lntx_id, wtx_id, fee_msat } = rendered;
  const { comment_not_sent: notSent } = rendered.passThru as { comment_not_sent?: unknown };
  const texts = [memo ?? '', failure_message ?? '', typeof notSent === 'string' ? notSent : ''].map(withoutFormula);
  return csvRow([
    line,
    withoutFormula(destination),
    num_msat,
    texts[0] ?? '',
    status,
    failure_reason ?? '',
    texts[1] ?? '',
    lntx_id ?? '',
    wtx_id ?? '',
    fee_msat ?? '',
    ...fiatCells(listed.fiat),
    texts[2] ?? '',
  ]);
}
