import { STORY } from '../examples.ts';

// What the examples of answers about money say otherwise than an incoming transaction that is settled.

const NOT_SETTLED = { payment_preimage: null, settled: 0, settled_at: null };

/** A new invoice. */
export const OPEN = { ...NOT_SETTLED, status: 'pending' };

/** An invoice that its wallet has cancelled. */
export const CANCELED = { ...NOT_SETTLED, status: 'cancelled' };

const WITHDRAWAL_TYPE = { name: 'ln_withdrawal', display_name: 'LN Withdrawal' };

/** 1,000 sat to somebody else's invoice, out of a wallet with 5,000; routing cost 1 sat. */
export const WITHDRAWAL = {
  id: STORY.walletTransactionOut,
  num_satoshis: -1000,
  num_msat: -1_000_000,
  user_label: 'rent',
  wal: { balance: 3999, balance_msat: 3_999_000, max_payable_msat: 3_808_572 },
  wtxType: WITHDRAWAL_TYPE,
  lnTx: {
    dest_pubkey: STORY.pubkey,
    payment_request: 'lnbcrt10u1p4szcp7…',
    memo: 'rent',
    num_satoshis: 1000,
    fee_msat: 1000,
    expiry: 3600,
    expires_at: STORY.now + 3540,
    passThru: {},
  },
  passThru: {},
};

/** The same while its outcome is open: the amount is held, and what its routing may cost. */
export const WITHDRAWAL_BEGUN = {
  ...WITHDRAWAL,
  wal: { balance: 3950, balance_msat: 3_950_000, max_payable_msat: 3_761_905, pending_msat: 1_050_000 },
  lnTx: { ...WITHDRAWAL.lnTx, ...OPEN, fee_msat: null },
  status: 'pending',
};

const KEYSEND_LABEL = `100 keysend to ${STORY.pubkey}`;
const PREIMAGE_RECORD = '5482373484';

/** 100 sat to a peer, so that there was no fee. */
export const KEYSEND = {
  id: STORY.walletTransactionOut,
  num_satoshis: -100,
  num_msat: -100_000,
  user_label: KEYSEND_LABEL,
  wal: { balance: 4900, balance_msat: 4_900_000, max_payable_msat: 4_666_667 },
  wtxType: WITHDRAWAL_TYPE,
  lnTx: {
    dest_pubkey: STORY.pubkey,
    payment_request: `${STORY.pubkey}:100`,
    memo: KEYSEND_LABEL,
    num_satoshis: 100,
    fee_msat: 0,
    expiry: 432_000,
    expires_at: null,
    is_keysend: 1,
    custom_records: { '7629169': 'hello', [PREIMAGE_RECORD]: STORY.preimage },
    passThru: { method: 'api' },
  },
  passThru: { method: 'api' },
};

/** The same while its outcome is open, with the least that is reserved for routing. */
export const KEYSEND_BEGUN = {
  ...KEYSEND,
  wal: { balance: 4890, balance_msat: 4_890_000, max_payable_msat: 4_657_143, pending_msat: 110_000 },
  lnTx: { ...KEYSEND.lnTx, ...OPEN, fee_msat: null, custom_records: { '7629169': 'hello' } },
  status: 'pending',
};

const MOVED_BETWEEN = { source_wallet_id: STORY.wallet, dest_wallet_id: STORY.otherWallet };
const MOVED = { user_label: 'rent', lnTx: null, passThru: MOVED_BETWEEN };

/** 500 sat between two wallets of the account. */
export const TRANSFER = {
  wtx_transfer_in: {
    ...MOVED,
    num_satoshis: 500,
    num_msat: 500_000,
    wal: { id: STORY.otherWallet, user_label: 'bruno', balance: 500, balance_msat: 500_000, max_payable_msat: 476_191 },
    wtxType: { name: 'ln_transfer_in', display_name: 'Transfer In' },
  },
  wtx_transfer_out: {
    ...MOVED,
    id: STORY.walletTransactionOut,
    num_satoshis: -500,
    num_msat: -500_000,
    wal: { balance: 4500, balance_msat: 4_500_000, max_payable_msat: 4_285_715 },
    wtxType: { name: 'ln_transfer_out', display_name: 'Transfer Out' },
  },
  passThru: MOVED_BETWEEN,
};
