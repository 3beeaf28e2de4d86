import { type Static, Type } from 'typebox';
import { floorSat } from '../../core/kernel/money.ts';
import type { Balance } from '../../core/ledger/ledger.ts';
import { maxPayableNow, type PayableTerms } from '../../core/payments/fee-limit.ts';
import { defaultPayLinkId, type Wallet } from '../../core/wallets/wallets.ts';
import { namedObject, oneOf } from '../../http/responses/response-types.ts';
import { selectable } from '../../http/responses/select.ts';

export const WalletObject = selectable(
  namedObject('Wallet', {
    id: Type.String({ description: 'The id of the wallet, `wal_…`' }),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    updated_at: Type.Integer({ description: 'Unix seconds' }),
    user_label: Type.String({ description: 'The label that the caller gave the wallet' }),
    balance: Type.Integer({ description: 'The spendable balance in whole satoshis: `balance_msat` / 1000, rounded down' }),
    balance_msat: Type.Integer({ description: 'The spendable balance in millisatoshis, exact. It does not contain `pending_msat`' }),
    pending_msat: Type.Integer({ description: 'Millisatoshis that are held for payments in flight: their amounts and fee limits' }),
    max_payable_msat: Type.Integer({
      description:
        'The largest amount in millisatoshis that can be paid over the network and still leaves the default fee reserve (5 %, at least ' +
        '10 sat), and the fee of this service; no more than the node of the wallet can send now. Transfers and payments between wallets of this service have no routing fee. In a wallet that is ' +
        'part of another object, the fee of this service and the node are not considered',
    }),
    status: oneOf(['active', 'inactive'], { description: '`inactive`: the wallet receives, but sends no money' }),
    statusType: Type.Object(
      {
        type: oneOf(['wallet'], { description: 'The kind of object that has this status' }),
        name: oneOf(['active', 'inactive'], { description: '`inactive`: the wallet receives, but sends no money' }),
        display_name: Type.String({ description: 'The status as text for people' }),
      },
      { description: 'The same as `status`, for clients of LNPay' },
    ),
    walletType: Type.Object(
      {
        name: Type.String({ description: 'Always `generic_wallet`' }),
        display_name: Type.String({ description: 'The type as text for people' }),
      },
      { description: 'The type of the wallet. All wallets have the same' },
    ),
    default_lnurlpay_id: Type.String({ description: 'The pay link that was created with the wallet, `lnurlp_…`' }),
    ln_node_id: Type.String({ description: 'The Lightning node of the wallet, `lnd_…`' }),
  }),
);

/** Returns the object of a wallet. */
export function renderWallet(w: Wallet, balance: Balance, terms: PayableTerms = {}): Static<typeof WalletObject> {
  return {
    id: w.id,
    created_at: w.createdAt,
    updated_at: w.updatedAt,
    user_label: w.userLabel,
    balance: floorSat(balance.spendableMsat),
    balance_msat: balance.spendableMsat,
    pending_msat: balance.heldMsat,
    max_payable_msat: maxPayableNow(balance.spendableMsat, terms),
    status: w.status,
    statusType: { type: 'wallet', name: w.status, display_name: w.status === 'active' ? 'Active' : 'Inactive' },
    walletType: { name: 'generic_wallet', display_name: 'Generic Wallet' },
    default_lnurlpay_id: defaultPayLinkId(w.id),
    ln_node_id: w.nodeId,
  };
}
