import { type Static, type TSchema, Type } from 'typebox';
import type { LightningTransaction } from '../history/lightning-transaction.ts';
import type { WalletTransaction } from '../history/wallet-transaction.ts';
import { floorSat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Balance } from '../ledger/ledger.ts';
import type { CustomRecords } from '../lightning/node.ts';
import { maxPayable, PAYMENT_FEE_RULE } from '../payments/fee-limit.ts';
import type { Wallet } from '../wallets/wallets.ts';

/**
 * A field that may be null. As one schema, not as a union of two: for a union the serializer has to validate the value first, which
 * took half of the time of an answer.
 */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, nullable: true });
}

/**
 * A field of an answer that is one of these words or numbers. Said as `words` and not as `enum`: only the description of the API reads
 * it, so that the serializer stays as fast, and could not stumble over a word.
 */
export function oneOf<const T extends string | number>(words: readonly T[], description?: string) {
  const type = typeof words[0] === 'number' ? 'integer' : 'string';
  return Type.Unsafe<T>({ type, words, ...(description !== undefined && { description }) });
}

const AnyObject = Type.Object({}, { additionalProperties: true });

export const WalletObject = Type.Object({
  id: Type.String({ description: 'wal_…' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  updated_at: Type.Integer(),
  user_label: Type.String(),
  balance: Type.Integer({ description: 'Spendable, in whole satoshis' }),
  balance_msat: Type.Integer({ description: 'Spendable, exact' }),
  pending_msat: Type.Integer({ description: 'Held for payments in flight' }),
  max_payable_msat: Type.Integer({
    description:
      'The largest amount that can be paid over the network and still leaves the default fee reserve (5 %, at least 10 sat). ' +
      'Transfers and payments between wallets of this service cost no fee and can use all of `balance_msat`',
  }),
  statusType: Type.Object({
    type: oneOf(['wallet']),
    name: oneOf(['active', 'inactive'], 'inactive: it sends no money'),
    display_name: Type.String(),
  }),
  walletType: Type.Object({ name: Type.String(), display_name: Type.String() }),
  default_lnurlpay_id: nullable(Type.String()),
  ln_node_id: Type.String(),
});

export const LightningTransactionObject = Type.Object({
  id: Type.String({ description: 'lntx_…' }),
  created_at: Type.Integer(),
  ln_node_id: Type.String(),
  dest_pubkey: Type.String(),
  payment_request: Type.String(),
  r_hash_decoded: Type.String(),
  memo: Type.String(),
  description_hash: nullable(Type.String()),
  num_satoshis: Type.Integer(),
  fee_msat: nullable(Type.Integer()),
  expiry: Type.Integer({ description: 'Seconds' }),
  expires_at: nullable(Type.Integer()),
  payment_preimage: nullable(Type.String()),
  settled: oneOf([1, 0, -1], '1 settled, 0 not, -1 an outgoing payment that failed for good'),
  settled_at: nullable(Type.Integer()),
  status: oneOf(
    ['pending', 'settled', 'failed', 'expired', 'cancelled'],
    'failed: a payment that failed for good; expired, cancelled: an invoice that can no longer be paid',
  ),
  failure_reason: nullable(Type.String()),
  // Null instead of 0 where LEGACY_NULL_KEYSEND is set; the API's description does not mention that.
  is_keysend: Type.Unsafe<1 | 0 | null>({ ...oneOf([1, 0]), nullable: true, neverNull: true }),
  is_amp: Type.Null(),
  payment_addr: nullable(Type.String()),
  custom_records: nullable(AnyObject),
  custom_records_json: nullable(AnyObject),
  passThru: nullable(AnyObject),
});

/** What `GET /v1/lntx/{id}` returns. */
export const LightningTransactionDetailsObject = Type.Object({
  ...LightningTransactionObject.properties,
  counterpart_id: nullable(
    Type.String({
      description: 'The lightning transaction of the other side, for a payment between two wallets of the account; null otherwise',
    }),
  ),
});

export const WalletTransactionObject = Type.Object({
  id: Type.String({ description: 'wtx_…' }),
  created_at: Type.Integer(),
  num_satoshis: Type.Integer({ description: 'Signed' }),
  num_msat: Type.Integer({ description: 'Signed, exact' }),
  user_label: Type.String(),
  wal: WalletObject,
  wtxType: Type.Object({ layer: Type.String(), name: Type.String(), display_name: Type.String() }),
  lnTx: nullable(LightningTransactionObject),
  passThru: AnyObject,
  status: oneOf(['settled', 'pending', 'failed', 'open']),
  failure_reason: nullable(Type.String()),
});

/** The other side of a transfer. A key that may not read that wallet sees only its id. */
export const OtherSideObject = Type.Object({
  ...WalletTransactionObject.properties,
  wal: Type.Object({ id: WalletObject.properties.id, ...Type.Partial(Type.Omit(WalletObject, ['id'])).properties }),
});

/** A wallet transaction that is a payment, so that its `lnTx` is never null; the serializer goes on without relying on that. */
export const PaymentObject = Type.Object({
  ...WalletTransactionObject.properties,
  lnTx: Type.Unsafe<Static<typeof LightningTransactionObject> | null>({ ...LightningTransactionObject, nullable: true, neverNull: true }),
});

/** Where a request reads these objects, alone or in a list, `fields` selects a part of them. */
export const SELECTABLE: ReadonlySet<unknown> = new Set([
  WalletObject,
  LightningTransactionObject,
  LightningTransactionDetailsObject,
  WalletTransactionObject,
]);

/** The kinds of wallet transactions, and what they are called. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  ln_deposit: 'LN Deposit',
  ln_withdrawal: 'LN Withdrawal',
  ln_transfer_in: 'Transfer In',
  ln_transfer_out: 'Transfer Out',
  ln_lnurl_pay_inbound: 'LNURL Pay',
  ln_lnurl_pay_outbound: 'LNURL Pay Outbound',
  ln_lnurl_withdraw: 'LNURL Withdraw',
  network_fee: 'LN Routing Fees',
  service_fee: 'Service Fee',
};

/** Renders domain objects as the API's; `nodeId` is the node's `lnd_…`. */
export function createObjects(nodeId: string, { legacyNullKeysend = false }: { legacyNullKeysend?: boolean } = {}) {
  const noKeysend = legacyNullKeysend ? null : 0;

  function lightningTransaction(ln: LightningTransaction) {
    return renderLightning(ln, noKeysend);
  }

  function wallet(w: Wallet, balance: Balance) {
    return {
      id: w.id,
      created_at: w.createdAt,
      updated_at: w.updatedAt,
      user_label: w.userLabel,
      balance: floorSat(balance.spendableMsat),
      balance_msat: balance.spendableMsat,
      pending_msat: balance.heldMsat,
      max_payable_msat: maxPayable(PAYMENT_FEE_RULE, balance.spendableMsat),
      statusType: { type: 'wallet' as const, name: w.status, display_name: w.status === 'active' ? 'Active' : 'Inactive' },
      walletType: { name: 'generic_wallet', display_name: 'Generic Wallet' },
      default_lnurlpay_id: null,
      ln_node_id: nodeId,
    };
  }

  function walletTransaction(wtx: WalletTransaction) {
    return {
      id: wtx.id,
      created_at: wtx.createdAt,
      num_satoshis: wtx.numSatoshis,
      num_msat: wtx.amountMsat,
      user_label: wtx.userLabel,
      wal: wallet(wtx.wallet, wtx.balance),
      wtxType: { layer: 'ln', name: wtx.type, display_name: TYPE_NAMES[wtx.type] ?? wtx.type },
      lnTx: wtx.lightning ? lightningTransaction(wtx.lightning) : null,
      passThru: passThruOf(wtx),
      status: wtx.status,
      failure_reason: wtx.failureReason ?? null,
    };
  }

  /** Renders the receiving side of a transfer for a key that may not read the receiving wallet. Every field is named here. */
  function otherSide(wtx: WalletTransaction) {
    const { id, created_at, num_satoshis, num_msat, user_label, wal, wtxType, lnTx, passThru, status, failure_reason } =
      walletTransaction(wtx);
    const visible = { id, created_at, num_satoshis, num_msat, user_label, wal: { id: wal.id } };
    return { ...visible, wtxType, lnTx, passThru, status, failure_reason };
  }

  /** @throws Refusal when a caller names a node that is not ours. */
  function requireOurNode(id: string | undefined): void {
    if (id !== undefined && id !== nodeId)
      throw new Refusal('validation_failed', '`ln_node_id` must be the node of this service. Leave it out to use that node.');
  }

  return { wallet, walletTransaction, otherSide, lightningTransaction, requireOurNode };
}

export type Objects = ReturnType<typeof createObjects>;

const SETTLED_FLAG = { settled: 1, pending: 0, expired: 0, cancelled: 0, failed: 0 } as const;

function renderLightning(ln: LightningTransaction, noKeysend: 0 | null) {
  // Only an outgoing payment has a reason to have failed; a known client polls for −1.
  const settled: 1 | 0 | -1 = ln.failureReason === undefined ? SETTLED_FLAG[ln.status] : -1;
  return {
    id: ln.id,
    created_at: ln.createdAt,
    ln_node_id: ln.nodeId,
    dest_pubkey: ln.destPubkey,
    payment_request: ln.paymentRequest,
    r_hash_decoded: ln.paymentHash,
    memo: ln.memo,
    description_hash: ln.descriptionHash ?? null,
    num_satoshis: floorSat(ln.amountMsat),
    fee_msat: ln.feeMsat ?? null,
    expiry: ln.expirySeconds,
    expires_at: ln.expiresAt ?? null,
    payment_preimage: ln.preimage ?? null,
    settled,
    settled_at: ln.settledAt ?? null,
    status: ln.status,
    failure_reason: ln.failureReason ?? null,
    is_keysend: ln.isKeysend ? (1 as const) : noKeysend,
    is_amp: null,
    payment_addr: null,
    ...customRecords(ln.customRecords),
    passThru: parseObject(ln.passThru),
  };
}

/** TLV values as text where they are UTF-8, otherwise (and for the preimage) as hex; what parses as JSON also parsed. */
function customRecords(records: CustomRecords | undefined) {
  if (!records) return { custom_records: null, custom_records_json: null };
  const texts: Record<string, string> = {};
  const parsed: Record<string, unknown> = {};
  for (const [type, hex] of Object.entries(records)) {
    const text = type === '5482373484' ? hex : (utf8OrUndefined(hex) ?? hex);
    texts[type] = text;
    const json = objectOf(text);
    if (json) parsed[type] = json;
  }
  return { custom_records: texts, custom_records_json: Object.keys(parsed).length > 0 ? parsed : null };
}

function utf8OrUndefined(hex: string): string | undefined {
  try {
    return new TextDecoder('utf8', { fatal: true }).decode(Buffer.from(hex, 'hex'));
  } catch {
    return undefined;
  }
}

/** The caller's own object and, of a transfer, the two wallets; the ids are true whatever the caller sent under these names. */
function passThruOf({ passThru, transferWallets }: WalletTransaction): object {
  const own = parseObject(passThru);
  if (!transferWallets) return own;
  return { ...own, source_wallet_id: transferWallets.sourceId, dest_wallet_id: transferWallets.destinationId };
}

function parseObject(text: string | undefined): object {
  return (text === undefined ? undefined : objectOf(text)) ?? {};
}

/** The object that a JSON text is; undefined for any other text. */
function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
