/**
 * History that makes the import of a fixture take long. Half of the rows are receipts and half are payments of the same amounts, so balances stay as
 * they are. `rows` is an even number.
 */

/** SQL for the SQLite file of LNbits. */
export function lnbitsRows(rows: number): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO apipayments (checking_id, payment_hash, amount, fee, wallet_id, memo, time, status)
    SELECT 'many' || i, printf('%064x', i), CASE i % 2 WHEN 0 THEN 1000 ELSE -1000 END, 0,
      (SELECT id FROM wallets WHERE name = 'account 1'), 'row ' || i, 1795856200 + i, 'success' FROM n`;
}

/** SQL for the PostgreSQL database of lndhub.go. The first user has the accounts 1 (incoming), 2 (current) and 3 (outgoing). */
export function lndhubRows(rows: number): string[] {
  const [hash, time] = ["lpad(to_hex(i), 64, '0')", "timestamptz '2026-11-28 08:00:00Z' + i * interval '1 millisecond'"];
  return [
    `INSERT INTO public.invoices (id, type, user_id, amount, memo, destination_pubkey_hex, r_hash, preimage, state, created_at, settled_at)
     SELECT 1000 + i, CASE i % 2 WHEN 0 THEN 'outgoing' ELSE 'incoming' END, 1, 1, 'row ' || i, '', ${hash}, ${hash}, 'settled', ${time}, ${time}
     FROM generate_series(1, ${rows}) i`,
    `INSERT INTO public.transaction_entries (id, user_id, invoice_id, credit_account_id, debit_account_id, amount, created_at)
     SELECT 1000 + i, 1, 1000 + i, CASE i % 2 WHEN 0 THEN 3 ELSE 2 END, CASE i % 2 WHEN 0 THEN 2 ELSE 1 END, 1, ${time}
     FROM generate_series(1, ${rows}) i`,
  ];
}

/** SQL for the SQLite file of Alby Hub. The app 2 is isolated. */
export function albyhubRows(rows: number): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO transactions (app_id, type, state, amount_msat, fee_msat, fee_reserve_msat, payment_hash, description, created_at, settled_at, self_payment)
    SELECT 2, CASE i % 2 WHEN 0 THEN 'incoming' ELSE 'outgoing' END, 'SETTLED', 1000, 0, 0, printf('%064x', i), 'row ' || i,
      datetime(1795874750 + i, 'unixepoch') || '+00:00', datetime(1795874750 + i, 'unixepoch') || '+00:00', false FROM n`;
}

const ROWS_PER_INSERT = 1000;

/** Statements for the end of a dump of LNPay, a thousand rows each, for the wallet with the label `Empty`. */
export function* lnpayRows(rows: number): Iterable<string> {
  for (let first = 1; first <= rows; first += ROWS_PER_INSERT) {
    const numbers = Array.from({ length: Math.min(ROWS_PER_INSERT, rows + 1 - first) }, (_, index) => first + index);
    yield insertOf('ln_tx', numbers, (i) => {
      const hash = i.toString(16).padStart(64, '0');
      const fees = '0,432000,1640000000';
      return `${1000 + i},1640000000,1640000000,201,NULL,'lntx_many${i}','','','${hash}','row ${i}',NULL,NULL,1,${fees},'${hash}',1,1640000000,NULL,NULL,NULL,NULL`;
    });
    yield insertOf('wallet_transaction', numbers, (i) => {
      const [type, amount] = i % 2 === 0 ? [20, -1] : [10, 1];
      return `${1000 + i},1640000000,1640000000,201,2505,${type},${amount},${1000 + i},'row ${i}','wtx_many${i}',NULL,NULL,'[]'`;
    });
  }
}

function insertOf(table: string, numbers: readonly number[], valuesOf: (i: number) => string): string {
  return `INSERT INTO \`${table}\` VALUES\n${numbers.map((i) => `(${valuesOf(i)})`).join(',\n')};\n`;
}
