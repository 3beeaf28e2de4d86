/** Ids and values that the examples of all operations share. */
export const EXAMPLE = {
  wallet: 'wal_0Vbb5dZr00f6iF4JgK02B2',
  otherWallet: 'wal_0Vbb6C8s00gR4mXdTn1hG9',
  /** The default pay link of the wallet. */
  payLink: 'lnurlp_0Vbb5dZr00f6iF4JgK02B2',
  lightningTransaction: 'lntx_0Vbb5eQk00aT9sWfRb3xY1',
  walletTransaction: 'wtx_0Vbb5eQl00mP2kVcHd7zN4i',
  walletTransactionOut: 'wtx_0Vbb5eQl00mP2kVcHd7zN4o',
  account: 'acc_0Vbb5dZq00hT3mVxLu0fF7',
  session: 'ses_0Vbb6A3n00wC8pZuKt9eE6',
  email: 'maria@example.com',
  key: 'key_0Vbb6A3n00wC8pZuKt9eE6',
  newKey: 'key_0Vbb6B5p00xD2rVwLs4gH7',
  event: 'evt_0000002x00000001VbfA8g0s',
  webhook: 'whk_0Vbb7a2K00hT5nQwLx3rS8',
  delivery: 'whd_0Vbb7b4M00jU6pRyMz5tV2',
  withdrawLink: 'lnurlw_0Vbb5fXm00qB6nYtJs8cD5',
  node: 'lnd_9f2c51aab0',
  ourPubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  pubkey: '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
  preimage: '5f3c0d9e7b6a48121c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f50617283',
  /** The SHA-256 of the preimage. */
  paymentHash: '2469852cc71412d18958d229804098d9a3aea685e44f68475e59c18741e002a3',
  token: 'SVhMK3qY5tZ8nB2wRx7cLp4D',
  statusToken: '0Vbb5eQk00aT9sWfRb3xY19d2f8a4be07c41d5a3e6b1c80f92d457',
  now: 1_767_225_600,
} as const;
