import { KEY_STATES, type KeyState } from '../../core/accounts/key-states.ts';
import { listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';
import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';

export type ConnectionRow = {
  id: string;
  key_id: string;
  wallet_id: string;
  permissions: string;
  client_pubkey: string;
  service_pubkey: string;
  relays: string;
  created_at: number;
  /** Of its last request. */
  scheme: EncryptionScheme | null;
  account_id: string;
};

const COLUMNS = 'id, key_id, wallet_id, permissions, client_pubkey, service_pubkey, relays, created_at';
const SELECTED = `${COLUMNS.replaceAll(/\w+/g, 'c.$&')}, c.scheme, w.account_id`;
const SELECT = `SELECT ${SELECTED} FROM nwc_connection c JOIN wallet w ON w.id = c.wallet_id`;

export const insertConnection = statement(
  'nwc_connection_insert',
  `INSERT INTO nwc_connection (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export const findConnection = statement<ConnectionRow>('nwc_connection_find', `${SELECT} WHERE c.id = $1`);

export const findAnyConnection = statement<{ id: string }>('nwc_connection_find_any', 'SELECT id FROM nwc_connection LIMIT 1');

export const findConnectionOfKey = statement<ConnectionRow>('nwc_connection_find_by_key', `${SELECT} WHERE c.key_id = $1`);

export const listConnections = listStatements<ConnectionRow>('nwc_connection_list', {
  select: SELECT,
  table: 'nwc_connection c',
  where: 'c.wallet_id = $1',
  filters: 1,
  id: 'c.id',
});

const listOfAccount = (state: KeyState) =>
  listStatements<ConnectionRow>(`nwc_connection_list_of_account_${state}`, {
    select: `SELECT ${SELECTED} FROM access_key k JOIN nwc_connection c ON c.key_id = k.id JOIN wallet w ON w.id = c.wallet_id`,
    table: 'access_key k',
    where: `k.account_id = $1 AND k.kind = 'wallet_connection' AND (CAST($2 AS TEXT) IS NULL OR k.wallet_id = $2) AND ${KEY_STATES[state]}`,
    filters: 2,
    id: 'c.id',
  });

/** The connections of all wallets of an account, or of one of them ($2), of which there are as many as it has keys of them. */
export const listOfAccountBy = {
  all: listOfAccount('all'),
  active: listOfAccount('active'),
  expired: listOfAccount('expired'),
  revoked: listOfAccount('revoked'),
  ended: listOfAccount('ended'),
};

/** Connections in the order of their ids, with the time of their revocation: those that are valid, or were revoked after `$3`. */
export const listServed = statement<ConnectionRow & { revoked_at: number | null }>(
  'nwc_connection_list_served',
  `SELECT ${SELECTED}, k.revoked_at FROM nwc_connection c JOIN wallet w ON w.id = c.wallet_id JOIN access_key k ON k.id = c.key_id
   WHERE c.id > $1 AND (k.revoked_at IS NULL OR k.revoked_at > $3) ORDER BY c.id LIMIT $2`,
);

export const storeScheme = statement('nwc_connection_store_scheme', 'UPDATE nwc_connection SET scheme = $2 WHERE id = $1');
