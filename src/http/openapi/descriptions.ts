/** What a field or parameter is, by its name, where its schema does not say it; `operationId.field` and `Schema.field` count first. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  // Parameters
  epoch: 'Number of an epoch, from 1',
  hash: 'Payment hash, in hex',
  key: "An access key of the wallet or, with a secret API key, the wallet's id",
  'processWithdrawLink.key': 'The `waklw_` key of the wallet, which only names it',
  'cancelInvoice.id': 'The `lntx_` id of the invoice',
  'getLightningTransaction.id': 'A `lntx_` id, or a payment hash in hex',
  'getTransaction.id': 'A `wtx_` id',
  'revokeKey.id': 'The `key_` id of the key, not the key itself',
  'revokeWalletKey.id': 'The `key_` id of the key, not the key itself',
  'rotateKey.id': 'The `key_` id of the key, not the key itself',
  'rotateWalletKey.id': 'The `key_` id of the key, not the key itself',
  'listTransactions.wallet_id': 'Only of this wallet: its id or an access key',
  'playgroundFund.wallet_id': 'The wallet: its id or an access key',
  balanceNotify: 'Accepted, because other wallets may send it (LUD-15), and not called',
  k1: 'As the first step answered it (LUD-03); may be left out, but must match if it is sent',
  ott: "The link's token",

  // Everywhere
  created_at: 'Unix seconds',
  expires_at: 'Unix seconds; null: never',
  display_name: 'For people',
  label: 'What you call it; for people',
  ln_node_id: 'The node of this service (`lnd_…`)',
  memo: 'What it is for; for people. At most 639 bytes',
  name: 'For programs',
  network: '`bitcoin`, `testnet`, `signet` or `regtest`',
  num_msat: 'Millisatoshis',
  passThru: "The caller's own object, as it was given",
  payment_hash: '32 bytes in hex',
  payment_request: 'A BOLT11 invoice',
  pubkey: '33-byte public key in hex',
  updated_at: 'Unix seconds',
  user_label: 'What you call it; for people',
  wallet_id: 'The wallet (`wal_…`)',

  // Wallets
  default_lnurlpay_id: 'Always null: there are no pay links yet',
  statusType: 'Whether the wallet sends money',
  'statusType.type': 'What it is the status of',
  walletType: 'The same for every wallet',

  // Wallet transactions
  wtxType: 'What kind of movement it is',
  layer: 'Always `ln`',
  'wtxType.name':
    '`ln_deposit`, `ln_withdrawal`, `ln_transfer_in`, `ln_transfer_out`, `ln_lnurl_withdraw`, `network_fee`, …: the values of the filter `type`',
  lnTx: 'The invoice or payment behind it; null for a transfer and for a fee',
  'WalletTransaction.user_label': 'What it was for; for people',
  'Payment.user_label': 'What it was for; for people',
  'WalletTransaction.passThru':
    "The caller's own object, as it was given. Of a transfer also `source_wallet_id`, `dest_wallet_id` and `lnPayParams`",
  'wtx_transfer_in.wal': 'The wallet that received; only its `id` for a key that may not read it',
  'wtx_transfer_in.status': 'Always `settled`',
  'WalletTransaction.status':
    'Only settled ones are in the balance. A pending one is held. An open one is an invoice that can still be paid',
  'Payment.status': '`pending`: under way or unclear, and its money is held',
  failure_reason: 'Why a payment failed for good: `NO_ROUTE`, `TIMEOUT`, …; null otherwise',
  dest_wallet_id: 'Where the money went (`wal_…`)',
  source_wallet_id: 'Where the money came from (`wal_…`)',
  wtx_transfer_in: 'The side of the wallet that received',
  wtx_transfer_out: 'The side of the wallet that sent',

  // Lightning transactions
  custom_records: 'TLV records of a keysend: type → text, or hex where it is no text; null for an invoice',
  custom_records_json: 'Those of them that are JSON, parsed; null when none is',
  description_hash: 'In hex; null when there is none',
  dest_pubkey: 'The node that is paid, in hex',
  fee_msat: 'What routing has cost; null for what was received and until it is known',
  is_amp: 'Always null',
  is_keysend: '1 for a payment without an invoice, 0 otherwise',
  'LightningTransaction.num_satoshis': 'Whole satoshis: what was asked for, paid or received; 0 while an open amount is not paid',
  'LightningTransactionDetails.num_satoshis': 'Whole satoshis: what was asked for, paid or received; 0 while an open amount is not paid',
  'LightningTransaction.payment_request': 'The BOLT11 invoice; of a keysend `keysend`, or the destination and the amount',
  'LightningTransactionDetails.payment_request': 'The BOLT11 invoice; of a keysend `keysend`, or the destination and the amount',
  payment_addr: 'Always null',
  payment_preimage: '32 bytes in hex that prove the payment; null until it is settled',
  r_hash_decoded: 'The payment hash, in hex',
  settled_at: 'Unix seconds; null until it is settled',

  // Keys
  'Key.status': 'Only an active one works',
  'NewKey.status': 'Only an active one works',
  'Key.wallet_id': 'The wallet whose access key it is; null for a key of the account',
  'NewKey.wallet_id': 'The wallet whose access key it is; null for a key of the account',
  budget_msat: 'What may leave by the key in one period; null: no budget',
  revoked_at: 'Unix seconds; null while it is not revoked',

  // Withdraw links
  'WithdrawLink.id': '`lnurlw_…`',
  uses: 'How often it can be claimed',

  // Proofs
  sum_msat: 'What is owed to all wallets below this node of the tree',

  // The node
  default_pubkey: '33-byte public key in hex',
  destination: 'The node that is to be paid, in hex',
  timestamp: 'Unix seconds, as text',
  expiry: 'Seconds from the timestamp, as text',
  description: 'What it is for; empty when there is none',
  cltv_expiry: 'Blocks that the last hop asks for, as text',
  route_hints: 'Ways to a node that is not announced',
  hop_hints: 'The channels of such a way, in order',
  node_id: 'The node at the beginning of the channel, in hex',
  chan_id: 'Short channel id, as a decimal number',
  fee_base_msat: 'What the channel asks for each payment',
  fee_proportional_millionths: 'What it asks for each million',
  cltv_expiry_delta: 'Blocks that it asks for',
  is_required: 'Whether a payer must know it',
  is_known: 'Whether this service knows its name',
  routes: 'The way that was found',
  hops: 'The channels of the way, in order',
  totalAmt: 'Satoshis with fees',
  totalAmtMsat: 'Millisatoshis with fees',
  totalFeesMsat: 'Millisatoshis',
  chanId: 'Short channel id, as a decimal number',
  amtToForward: 'Satoshis that go on',
  amtToForwardMsat: 'Millisatoshis that go on',
  feeMsat: 'Millisatoshis that stay here',
  pubKey: 'The node at the end of the channel, in hex',

  // The service and its playground
  'Health.status': 'It answers',
  'Readiness.status': 'Whether both of the others are ok',
  'Readiness.database': 'Whether it answers',
  action: '`settle` claims the money, `cancel` sends it back',
  amount_msat: 'Millisatoshis',
  direction: 'As the outside node sees it',
  nodes: '`hub` is the node of this service',
  'nodes.name': '`hub`, `alice` or `carol`',
  'OutsidePayment.fee_msat': 'What routing has cost',
  'OutsidePayment.id': 'A number that grows',
  'OutsidePayment.node': '`alice` or `carol`',
  payments: 'Oldest first, at most 1,000',
  state: '`pending`: not known yet',
};

/** The description of `owner`'s field; undefined where the table has none. */
export function descriptionOf(owner: string | undefined, field: string): string | undefined {
  return DESCRIPTIONS[`${owner}.${field}`] ?? DESCRIPTIONS[field];
}
