import type { NamedSchemas, RouteSchema } from './json-schema.ts';

const PUBKEY = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const HASH = 'ee84c69f3b1a1e7f8c2d9a60b4c1f0e2d3a5968778695a4b3c2d1e0f1a2b3c4d';
const WALLET = 'wal_0Vbb5dZr00f6iF4JgK02B2';
const LNTX = 'lntx_0Vbb5eQk00aT9sWfRb3xY1';
const PASS_THRU = { order: '17' };

/** What a field looks like, by its name; `Schema.field` where one name means several things. */
const VALUES: Readonly<Record<string, unknown>> = {
  'Wallet.id': WALLET,
  'NewWallet.id': WALLET,
  'WalletTransaction.id': 'wtx_0Vbb5eQl00mP2kVcHd7zN4',
  'LightningTransaction.id': LNTX,
  'WithdrawLink.id': 'lnurlw_0Vbb5fXm00qB6nYtJs8cD5',
  'OutsidePayment.id': 1,
  'walletType.name': 'generic_wallet',
  'walletType.display_name': 'Generic Wallet',
  'wtxType.name': 'ln_deposit',
  'wtxType.display_name': 'LN Deposit',
  'statusType.type': 'wallet',
  'statusType.name': 'active',
  'statusType.display_name': 'Active',
  'Health.status': 'ok',
  'Readiness.status': 'ready',
  'OutsidePayment.node': 'alice',
  'Readiness.node': 'ok',
  'Key.id': 'key_0Vbb6A3n00wC8pZuKt9eE6',
  'NewKey.id': 'key_0Vbb6A3n00wC8pZuKt9eE6',
  'Account.id': 'acc_0Vbb5dZq00hT3mVxLu0fF7',
  'Key.status': 'active',
  'NewKey.status': 'active',
  'Key.expires_at': null,
  'NewKey.expires_at': null,
  'NewKey.key': 'waka_…',
  epoch: 7,
  head: HASH,
  leaf_index: 2,
  leaves: 5,
  previous_root: HASH,
  root: HASH,
  salt: HASH,
  side: 'left',
  sum_msat: 1_200_000,
  total_msat: 9_000_000,
  tree_hash: HASH,
  id: LNTX,
  key: WALLET,
  hash: HASH,
  access_keys: { 'Wallet Admin': ['waka_…'], 'Wallet Invoice': ['waki_…'], 'Wallet Read': ['wakr_…'] },
  action: 'settle',
  after: 'wtx_0Vbb5eQl00mP2kVcHd7zN4',
  alias: 'satchel',
  amount_msat: 1_200_000,
  balance: 5000,
  balance_msat: 5_000_000,
  created_at: 1_767_225_600,
  custom_records: null,
  custom_records_json: null,
  database: 'ok',
  default_lnurlpay_id: null,
  description_hash: null,
  dest_pubkey: PUBKEY,
  dest_wallet_id: 'wal_0Vbb6A3n00wC8pZuKt9eE6',
  direction: 'sent',
  expires_at: 1_767_312_000,
  expiry: 86_400,
  failure_reason: null,
  fee_limit_msat: 50_000,
  fee_msat: 0,
  from: 1_767_225_600,
  is_keysend: 0,
  layer: 'ln',
  ln_node_id: 'lnd_9f2c51aab0',
  lnurl: 'LNURL1DP68GURN8GHJ7…',
  memo: 'tea',
  name: 'hub',
  network: 'regtest',
  num_msat: 1_200_000,
  num_satoshis: 1200,
  ott: 'SVhMK3qY5tZ8',
  page: 1,
  passThru: PASS_THRU,
  payment_addr: null,
  payment_hash: HASH,
  payment_preimage: '5f3c0d9e7b6a48121c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f50617283',
  payment_request: 'lnbcrt12u1p4szcp7dq9w3jkznp4q…',
  pending_msat: 0,
  'per-page': 50,
  budget_msat: null,
  budget_pending_msat: null,
  budget_period: null,
  budget_spent_msat: null,
  hint: 'waka_…x9Qd',
  kind: 'wallet_admin',
  label: 'till',
  max_payment_msat: 100_000,
  overlap_seconds: 3600,
  public_key: 'pak_…',
  replaced_by: null,
  revoked_at: null,
  pubkey: PUBKEY,
  r_hash_decoded: HASH,
  settled: 1,
  settled_at: 1_767_225_660,
  source_wallet_id: WALLET,
  state: 'succeeded',
  status: 'settled',
  to: 1_769_904_000,
  unreachable_pubkey: PUBKEY,
  updated_at: 1_767_225_600,
  url: 'https://wallets.example.com/v1/user/wallet/waklw_ATA7…/lnurl-process?ott=SVhMK3qY5tZ8&num_satoshis=300',
  user_label: 'alma',
  uses: 1,
  wallet_id: WALLET,
};

const BY_TYPE: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true, null: null };

/**
 * An example of what a schema describes, out of what its fields are called; `path` is where it stands (`Wallet.id`),
 * and `instead` are values that count before the usual ones.
 */
export function exampleOf(schema: RouteSchema, named: NamedSchemas, path = '', instead: Readonly<Record<string, unknown>> = {}): unknown {
  const field = path.slice(path.indexOf('.') + 1);
  if (field in instead) return instead[field];
  if (schema.enum && !schema.enum.includes(VALUES[path])) return schema.enum[0];
  const known = VALUES[path] ?? VALUES[field];
  // The node's routes tell numbers as texts.
  if (typeof known === 'number' && schema.type === 'string') return String(known);
  if (known !== undefined && !(known === null && !schema.nullable)) return known;
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {}, named, path, instead);
  if (schema.const !== undefined) return schema.const;
  if (schema.type === 'array') return schema.items ? [exampleOf(schema.items, named, path, instead)] : [];
  if (schema.type !== 'object') return schema.nullable ? null : BY_TYPE[schema.type ?? ''];
  const owner = named.nameOf(schema) ?? field;
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, inner]) => [name, exampleOf(inner, named, `${owner}.${name}`, instead)]));
}
