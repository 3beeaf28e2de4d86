import { counted } from '../core/kernel/counted.ts';
import type { Restore } from '../features/restore/restore-object.ts';
import { grouped, moment } from './table.ts';

/** Returns the state of a restore for people. */
export function restoreText(restore: Restore): string {
  const { quarantined, backup_created_at: from, lost_until: until, receipts, payments, shortfalls, recovered_wallets: recovered } = restore;
  if (from === null) return 'This database was never restored from a backup.';
  const lost = from === 0 ? 'everything' : `from ${moment(from)}`;
  const wallets =
    recovered.count > 0 ? `, under the account ${recovered.account_id}. \`satchel key recover ${recovered.account_id}\` creates a key` : '';
  return [
    quarantined ? 'The service was restored, and sends no money.' : 'The restore was accepted. This is the report from then.',
    `Lost: ${lost} until ${until === null ? 'the restore' : moment(until)}.`,
    '',
    ...restore.read_back.nodes.map(nodeText),
    `Booked since: ${counted(receipts.count, 'receipt')} (${grouped(receipts.num_msat)} msat), ${counted(payments.count, 'payment')} ` +
      `(${grouped(payments.num_msat)} msat and ${grouped(payments.fee_msat)} msat of fees), ${payments.pending} of them read back and pending.`,
    `Recovered wallets: ${recovered.count}${wallets}.`,
    `Shortfalls: ${grouped(shortfalls.num_msat)} msat, which the operator bears.`,
    ...shortfalls.items.map((one) => `  ${one.wallet_id} lacked ${grouped(one.num_msat)} msat for ${one.payment_id}`),
    `Reconciliation: ${restore.reconciliation.detail}`,
    '',
    ...restore.not_recovered,
  ].join('\n');
}

function nodeText({
  ln_node_id,
  status,
  step,
  read_receipts,
  read_payments,
  foreign,
  error,
}: Restore['read_back']['nodes'][number]): string {
  const texts = { waiting: 'the service has not begun to read it', running: RUNNING[step], complete: 'read back' } as const;
  const progress = `${ln_node_id}: ${texts[status]}; ${counted(read_receipts, 'receipt')}, ${counted(read_payments, 'payment')}, ${foreign} of them of no wallet.`;
  return error === null ? progress : `${progress}\n  ${error}. It is tried again.`;
}

const RUNNING = {
  receipts: 'its receipts are being read',
  payments: 'its payments are being read',
  late_payments: 'waiting until the lost service can no longer send',
} as const;
