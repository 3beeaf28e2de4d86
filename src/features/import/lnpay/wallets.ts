import { isBcrypt } from '../../logins/bcrypt.ts';
import { readInteger, readText } from '../columns.ts';
import { type SourceAccount, type SourceKey, type SourceLink, type SourceWallet, walletLabel } from '../source.ts';
import type { SourceDatabase, SourceRow } from '../source-database.ts';
import { keyOf } from './keys.ts';
import { type HookRow, webhooksOf, webhooksSql } from './webhooks.ts';

/** The numbers of LNPay's table `status_type`, and of `user.status`. */
const ACTIVE = { user: 10, wallet: 200, link: 450 } as const;

/** Reads the wallets with their owners, keys and pay links. The rows of one wallet are read at once: a wallet of LNPay has few. */
export async function* readWallets(database: SourceDatabase): AsyncIterable<SourceWallet> {
  const has = async (table: string) => (await database.columns(table)).size > 0;
  // From SQLite 3.54 on, the result of a query is text until `json` reads it.
  const keys = (owner: string) => `(SELECT json_group_array(json_object('text', k.access_key, 'status', k.status_type_id, 'roles', json((
      SELECT json_group_array(a.item_name) FROM auth_assignment a WHERE a.user_id = k.access_key)))) FROM user_access_key k WHERE ${owner})`;
  const noKeys = !((await has('user_access_key')) && (await has('auth_assignment')));
  const domain = (await has('custy_domain')) ? '(SELECT lower(d.domain_name) FROM custy_domain d WHERE d.id = p.custy_domain_id)' : 'NULL';
  // Names were not unique. The oldest active link of a name keeps it.
  const link = `json_object('id', p.external_hash, 'label', p.user_label, 'status', p.status_type_id, 'min', p.lnurlp_minSendable_msat,
      'max', p.lnurlp_maxSendable_msat, 'desc', p.lnurlp_short_desc, 'name', p.lnurlp_identifier, 'domain', ${domain},
      'comment', p.lnurlp_commentAllowed, 'message', p.lnurlp_success_message, 'url', p.lnurlp_success_url, 'isLater', EXISTS (
        SELECT 1 FROM wallet_lnurlpay o WHERE lower(o.lnurlp_identifier) = lower(p.lnurlp_identifier) AND o.status_type_id = ${ACTIVE.link}
          AND coalesce(o.custy_domain_id, 0) = coalesce(p.custy_domain_id, 0) AND o.id < p.id))`;
  const links = (await has('wallet_lnurlpay'))
    ? `(SELECT json_group_array(${link} ORDER BY p.id) FROM wallet_lnurlpay p WHERE p.wallet_id = w.id)`
    : "'[]'";
  const webhooks = (await has('integration_webhook')) ? webhooksSql('w.user_id') : "'[]'";
  const sql = `SELECT w.external_hash AS id, w.user_label AS label, w.balance, w.status_type_id AS status, w.json_data AS json,
      u.id AS user_id, u.username, u.email, u.password_hash, u.status AS user_status, ${links} AS links,
      ${noKeys ? "'[]'" : keys('k.wallet_id = w.id')} AS keys,
      ${noKeys ? "'[]'" : keys('k.user_id = w.user_id AND k.wallet_id IS NULL')} AS account_keys, ${webhooks} AS webhooks
    FROM wallet w LEFT JOIN user u ON u.id = w.user_id ORDER BY ${database.bytewise('w.external_hash')}`;
  for await (const row of database.rows(sql)) yield walletFromRow(row);
}

function walletFromRow(row: SourceRow): SourceWallet {
  const id = readText(row, 'id') ?? '';
  const where = `wallet ${id}`;
  const keys = (JSON.parse(String(row.keys)) as KeyRow[]).map(keyOf);
  const links = (JSON.parse(String(row.links)) as LinkRow[]).map(linkOf);
  const userStatus = row.user_status === null ? 0 : readInteger(row, 'user_status', where);
  const isInactive = row.status !== null && readInteger(row, 'status', where) !== ACTIVE.wallet;
  const keepsId = OWN_ID.test(id);
  return {
    id,
    ...(keepsId && { ownId: id }),
    account: accountOf(row),
    label: walletLabel(readText(row, 'label')),
    balanceMsat: readInteger(row, 'balance', where) * 1000,
    keys: keys.flatMap(({ key }) => (key ? [key] : [])),
    links,
    isInactive,
    leftOut: userStatus < ACTIVE.user ? 'the account of its user is closed' : undefined,
    remarks: [
      ...keys.flatMap(({ remark }) => (remark === undefined ? [] : [remark])),
      ...(isInactive ? ['it is inactive: it receives, but sends no money'] : []),
      ...(keepsId ? [] : ['it gets a new id: this service does not accept the form of the old one']),
    ],
  };
}

/** Ids that LNPay has made: random ones, and ones that derive from an identifier of the client. */
const OWN_ID = /^(wal_[0-9A-Za-z]{8,21}|walx_[0-9a-f]{8,32})$/;

function accountOf(row: SourceRow): SourceAccount {
  const passwordHash = readText(row, 'password_hash');
  const keys = (JSON.parse(String(row.account_keys)) as KeyRow[]).map(keyOf).flatMap(({ key }): SourceKey[] => (key ? [key] : []));
  return {
    id: readText(row, 'user_id') ?? '',
    name: readText(row, 'username'),
    email: readText(row, 'email')?.toLowerCase(),
    passwordHash: passwordHash !== undefined && isBcrypt(passwordHash) ? passwordHash : undefined,
    keys,
    webhooks: webhooksOf(JSON.parse(String(row.webhooks)) as HookRow[]),
  };
}

type KeyRow = Parameters<typeof keyOf>[0];

interface LinkRow {
  readonly id: string;
  readonly label: string | null;
  readonly status: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly desc: string | null;
  readonly name: string | null;
  readonly domain: string | null;
  readonly comment: number | null;
  readonly message: string | null;
  readonly url: string | null;
  readonly isLater: number;
}

const MAX_COMMENT = 500;
const DEFAULT_MAX_MSAT = 100_000_000;

function linkOf({ id, status, min, max, desc, name, domain, comment, message, url, isLater }: LinkRow): SourceLink {
  const minMsat = Math.max(1000, min ?? 1000);
  // Names had letters and spaces. An address cannot have a space.
  const address = name !== null && /^[a-z]{1,64}$/i.test(name) && isLater === 0 ? name.toLowerCase() : undefined;
  return {
    id,
    keepsId: LINK_ID.test(id),
    shortDesc: desc === null || desc === '' ? 'Lightning payment' : desc,
    minMsat,
    maxMsat: Math.max(minMsat, max ?? DEFAULT_MAX_MSAT),
    commentLength: Math.min(MAX_COMMENT, Math.max(0, comment ?? 0)),
    name: address,
    domain: domain ?? undefined,
    successText: message ?? undefined,
    successUrl: url ?? undefined,
    // The routes of pay links have the same form.
    paths: [],
    leftOut: status === ACTIVE.link ? undefined : 'it is inactive',
  };
}

const LINK_ID = /^lnurlp_[0-9A-Za-z]{8,40}$/;
