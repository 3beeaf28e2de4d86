import type { NamedSchemas, RouteSchema } from './json-schema.ts';

/** The names and numbers of one small story, which all examples tell. */
export const STORY = {
  wallet: 'wal_0Vbb5dZr00f6iF4JgK02B2',
  otherWallet: 'wal_0Vbb6C8s00gR4mXdTn1hG9',
  lightningTransaction: 'lntx_0Vbb5eQk00aT9sWfRb3xY1',
  key: 'key_0Vbb6A3n00wC8pZuKt9eE6',
  newKey: 'key_0Vbb6B5p00xD2rVwLs4gH7',
  walletTransaction: 'wtx_0Vbb5eQl00mP2kVcHd7zN4i',
  walletTransactionOut: 'wtx_0Vbb5eQl00mP2kVcHd7zN4o',
  ourPubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  pubkey: '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
  preimage: '5f3c0d9e7b6a48121c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f50617283',
  node: 'lnd_9f2c51aab0',
  token: 'SVhMK3qY5tZ8nB2wRx7cLp4D',
  now: 1_767_225_600,
} as const;

/** Of the preimage above. */
const HASH = '2469852cc71412d18958d229804098d9a3aea685e44f68475e59c18741e002a3';
const PASS_THRU = { order: '17' };

/** What a field looks like, by its name; `Schema.field` where one name means several things. */
const VALUES: Readonly<Record<string, unknown>> = {
  'Wallet.id': STORY.wallet,
  'NewWallet.id': STORY.wallet,
  'WalletTransaction.id': STORY.walletTransaction,
  'WalletTransaction.user_label': 'tea',
  'LightningTransactionDetails.id': STORY.lightningTransaction,
  'LightningTransactionDetails.fee_msat': null,
  'LightningTransactionDetails.payment_addr': null,
  'LightningTransaction.id': STORY.lightningTransaction,
  // Only a payment has one.
  'LightningTransaction.fee_msat': null,
  'Node.id': STORY.node,
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
  'Key.id': STORY.key,
  'NewKey.id': STORY.key,
  'Account.id': 'acc_0Vbb5dZq00hT3mVxLu0fF7',
  'Key.status': 'active',
  'NewKey.status': 'active',
  'Key.expires_at': null,
  'NewKey.expires_at': null,
  'NewKey.key': 'waka_…',
  'DecodedInvoice.num_satoshis': '1000',
  'DecodedInvoice.num_msat': '1000000',
  'DecodedInvoice.expiry': '3600',
  'DecodedInvoice.description': 'rent',
  'DecodedInvoice.description_hash': '',
  'DecodedInvoice.route_hints': [],
  'DecodedInvoice.features': {
    '8': { name: 'var_onion_optin', is_required: true, is_known: true },
    '14': { name: 'payment_secret', is_required: true, is_known: true },
  },
  'hops.expiry': 865,
  epoch: 7,
  head: '7de2190fb4a86c3550617283940a1b2c3d4e5f60718293a4b5c6d7e8f9011223',
  leaf_index: 1,
  leaves: 2,
  previous_root: '19ad0c5be27f43885d6e1b90c3f4a2d7e8695a4b3c2d1e0ff0e1d2c3b4a59687',
  root: 'a41f7c2e905b3d68e7f60192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6',
  salt: '3bd94f06c1e85a727093b4d5e6f7081920a1b2c3d4e5f60718293a4b5c6d7e8f',
  side: 'left',
  sum_msat: 1_200_000,
  total_msat: 6_200_000,
  tree_hash: 'c05e8d3192f64b7aa0b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f50617',
  id: STORY.lightningTransaction,
  key: STORY.wallet,
  hash: HASH,
  access_keys: {
    'Wallet Admin': ['waka_…'],
    'Wallet Invoice': ['waki_…'],
    'Wallet Read': ['wakr_…'],
    'Wallet LNURL Withdraw': ['waklw_…'],
    'Wallet LNURL Pay': ['waklp_…'],
  },
  action: 'settle',
  after: STORY.walletTransaction,
  alias: 'satchel',
  amount_msat: 1_200_000,
  amtToForward: '1000',
  amtToForwardMsat: '1000000',
  balance: 5000,
  balance_msat: 5_000_000,
  max_payable_msat: 4_761_905,
  chanCapacity: '100000',
  chanId: '113249697726464',
  cltv_expiry: '18',
  counterpart_id: null,
  created_at: STORY.now,
  custom_records: null,
  custom_records_json: null,
  database: 'ok',
  default_lnurlpay_id: null,
  default_pubkey: STORY.ourPubkey,
  description_hash: null,
  dest_pubkey: STORY.ourPubkey,
  dest_wallet_id: STORY.otherWallet,
  destination: STORY.pubkey,
  direction: 'sent',
  expires_at: 1_767_312_000,
  expiry: 86_400,
  failure_reason: null,
  feeMsat: '0',
  tlvPayload: true,
  fee_limit_msat: 50_000,
  fee_msat: 0,
  from: STORY.now,
  is_keysend: 0,
  layer: 'ln',
  ln_node_id: STORY.node,
  lnurl: 'LNURL1DP68GURN8GHJ7…',
  memo: 'tea',
  name: 'hub',
  network: 'regtest',
  num_msat: 1_200_000,
  num_satoshis: 1200,
  ott: STORY.token,
  page: 1,
  passThru: PASS_THRU,
  'LightningTransaction.payment_addr': null,
  payment_addr: 'b7c6d5e4f3021122334455667788990a1b2c3d4e5f60718293a4b5c6d7e8f901',
  payment_hash: HASH,
  payment_preimage: STORY.preimage,
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
  pubKey: STORY.pubkey,
  pubkey: STORY.pubkey,
  r_hash_decoded: HASH,
  settled: 1,
  settled_at: 1_767_225_660,
  source_wallet_id: STORY.wallet,
  state: 'succeeded',
  status: 'settled',
  timestamp: String(STORY.now),
  to: 1_769_904_000,
  totalAmt: '1000',
  totalAmtMsat: '1000000',
  totalFeesMsat: '0',
  totalTimeLock: 865,
  unreachable_pubkey: '025e8f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7',
  updated_at: STORY.now,
  url: 'https://wallets.example.com/v1/user/wallet/waklw_ATA7…/lnurl-process?ott=SVhMK3qY5tZ8nB2wRx7cLp4D&num_satoshis=300',
  user_label: 'alma',
  uses: 1,
  wallet_id: STORY.wallet,
};

const BY_TYPE: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true, null: null };

/** An example of what a schema describes, out of what its fields are called; `path` is where it stands (`Wallet.id`). */
export function exampleOf(schema: RouteSchema, named: NamedSchemas, path = ''): unknown {
  const field = path.slice(path.indexOf('.') + 1);
  const known = path in VALUES ? VALUES[path] : VALUES[field];
  if (known === null && schema.nullable) return null;
  const words = schema.words ?? schema.enum;
  if (words && !words.includes(known)) return words[0];
  // The node's routes tell numbers as texts.
  if (typeof known === 'number' && schema.type === 'string') return String(known);
  if (known !== undefined && known !== null) return known;
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {}, named, path);
  if (schema.const !== undefined) return schema.const;
  if (schema.type === 'array') return schema.items ? [exampleOf(schema.items, named, path)] : [];
  if (schema.type !== 'object') return schema.nullable ? null : BY_TYPE[schema.type ?? ''];
  const owner = named.nameOf(schema) ?? field;
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, inner]) => [name, exampleOf(inner, named, `${owner}.${name}`)]));
}

/** The example with what an operation says otherwise; of every item where it is a list. What is an object in both goes together. */
export function withChanges(example: unknown, changes: unknown): unknown {
  if (changes === undefined) return example;
  if (Array.isArray(example) && !Array.isArray(changes)) return example.map((item) => withChanges(item, changes));
  if (!isObject(example) || !isObject(changes)) return changes;
  const changed = Object.entries(changes).map(([name, change]) => [name, FREE.has(name) ? change : withChanges(example[name], change)]);
  return { ...example, ...Object.fromEntries(changed) };
}

/** Objects of the caller's own making: another one replaces them. */
const FREE = new Set(['passThru', 'custom_records']);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
