import { STORY } from '../examples.ts';
import type { OperationNotes } from '../operations.ts';

const KEYS = { tag: 'Keys', needs: 'account' } as const;

/** The last secret key of an account stays. */
const LAST = { refusals: [409] };

const ONCE = 'The answer holds the key itself, this once: only its hash is stored.';
const LIMITS = '`budget_msat` and `budget_period` go together; pending payments count.';
/** The key of an account that the example of `createKey` makes. */
const SHOP = {
  kind: 'secret_api',
  wallet_id: null,
  label: 'shop',
  hint: 'sak_…x9Qd',
  budget_msat: 5_000_000,
  budget_period: 'day',
  budget_spent_msat: 0,
  budget_pending_msat: 0,
  max_payment_msat: null,
};
const REVOKED = { status: 'revoked', revoked_at: STORY.now + 3600 };
const ROTATED = { id: STORY.newKey, created_at: STORY.now + 3600 };
const PATH = { path: { id: STORY.key } };

const ROTATE = 'The new one has the same kind and limits; the old one goes on working for `overlap_seconds`.';

export const KEY_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'GET /v1/account': { ...KEYS, id: 'getAccount', summary: 'Read the account and its public API key', answer: 'Account' },
  'GET /v1/keys': { ...KEYS, id: 'listKeys', summary: 'List the API keys of the account', answer: 'Key', says: { 200: SHOP } },
  'POST /v1/keys': {
    ...KEYS,
    id: 'createKey',
    summary: 'Make an API key',
    description: `${ONCE} ${LIMITS}`,
    answer: 'NewKey',
    body: { kind: 'secret_api', label: 'shop', budget_msat: 5_000_000, budget_period: 'day' },
    says: { 201: { ...SHOP, key: 'sak_…' } },
  },
  'POST /v1/keys/:id/rotate': {
    ...KEYS,
    ...PATH,
    id: 'rotateKey',
    summary: 'Replace an API key',
    description: `${ONCE} ${ROTATE} Give some when a key rotates itself.`,
    answer: 'NewKey',
    says: { 201: { ...SHOP, ...ROTATED, key: 'sak_…' } },
  },
  'DELETE /v1/keys/:id': {
    ...KEYS,
    ...LAST,
    ...PATH,
    id: 'revokeKey',
    summary: 'Revoke an API key',
    answer: 'Key',
    says: { 200: { ...SHOP, ...REVOKED } },
  },
  'GET /v1/wallet/:key/keys': { ...KEYS, id: 'listWalletKeys', summary: 'List the access keys of a wallet', answer: 'Key' },
  'POST /v1/wallet/:key/keys': {
    ...KEYS,
    id: 'createWalletKey',
    summary: 'Make an access key of a wallet',
    description: `${ONCE} ${LIMITS}`,
    answer: 'NewKey',
    body: { kind: 'wallet_admin', label: 'till', max_payment_msat: 100_000 },
  },
  'POST /v1/wallet/:key/keys/:id/rotate': {
    ...KEYS,
    ...PATH,
    id: 'rotateWalletKey',
    summary: 'Replace an access key of a wallet',
    description: `${ONCE} ${ROTATE}`,
    answer: 'NewKey',
    says: { 201: ROTATED },
  },
  'DELETE /v1/wallet/:key/keys/:id': {
    ...KEYS,
    ...PATH,
    id: 'revokeWalletKey',
    summary: 'Revoke an access key of a wallet',
    answer: 'Key',
    says: { 200: REVOKED },
  },
};
