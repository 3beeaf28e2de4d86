import { statement } from '../db/statement.ts';

const COLUMNS = 'created_at_ms, type, account_id, wallet_id, subject, lntx, data';

/** An event of the wallet with the ledger account $3. */
export const insertWalletEvent = statement(
  'event_insert_of_wallet',
  `INSERT INTO event (${COLUMNS})
    SELECT $1, $2, account_id, id, $4, $5, $6 FROM wallet WHERE ledger_account = $3`,
  `INSERT INTO event (${COLUMNS})
    SELECT n.created_at_ms, n.type, w.account_id, w.id, n.subject, n.lntx, n.data
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
      WITH ORDINALITY AS n (created_at_ms, type, ledger_account, subject, lntx, data, ord)
    JOIN wallet w ON w.ledger_account = n.ledger_account ORDER BY n.ord RETURNING 1`,
);

/** An event of the account $3. */
export const insertAccountEvent = statement(
  'event_insert_of_account',
  `INSERT INTO event (${COLUMNS}) VALUES ($1, $2, $3, NULL, $4, $5, $6)`,
);

/**
 * An event about an alert, of the operator's account, which is the first. Changes nothing before that account exists, or when there is no
 * alert with the id `$3`: an alert that is raised again while it is open keeps its first id.
 */
export const insertAlertEvent = statement(
  'event_insert_of_alert',
  `INSERT INTO event (${COLUMNS})
   SELECT $1, $2, id, NULL, $3, NULL, $4 FROM account WHERE EXISTS (SELECT 1 FROM alert WHERE alert.id = $3) ORDER BY id LIMIT 1`,
);
