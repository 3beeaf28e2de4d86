import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { KeyObject } from '../keys/key-object.ts';
import { type ConnectionWithKey, connectionUri, type NewConnection } from './connections.ts';
import { CONNECTION_PERMISSIONS } from './methods.ts';

const { user_label, status, expires_at, revoked_at, budget_msat, budget_period } = KeyObject.properties;
const { budget_spent_msat, budget_pending_msat, max_payment_msat } = KeyObject.properties;
const { max_out_day_msat, max_out_month_msat, max_payments_per_minute, max_pending } = KeyObject.properties;
const { out_day_msat, out_month_msat, payments_this_minute, pending_payments } = KeyObject.properties;

/** A connection without its secret. */
export const ConnectionObject = namedObject('Connection', {
  id: Type.String({ description: 'The id of the connection, `nwc_…`' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  wallet_id: Type.String({ description: 'The wallet that the app uses, `wal_…`' }),
  key_id: Type.String({ description: 'The access key of the connection, `key_…`. Revoking it revokes the connection' }),
  user_label: { ...user_label, description: 'The label that the caller gave the connection' },
  permissions: Type.Array(oneOf(CONNECTION_PERMISSIONS, { description: 'A permission' }), {
    description: 'What the app may do; the methods follow from it',
  }),
  status: { ...status, description: 'Only the app of an `active` connection can use the wallet' },
  expires_at: { ...expires_at, description: 'Unix seconds; null when the connection does not expire' },
  revoked_at: { ...revoked_at, description: 'Unix seconds; null when the connection is not revoked' },
  last_used_at: nullable(
    Type.Integer({ description: 'The time of the last request of the app, in Unix seconds; up to a minute late. Null before' }),
  ),
  budget_msat,
  budget_period,
  budget_spent_msat,
  budget_pending_msat,
  max_payment_msat,
  max_out_day_msat,
  max_out_month_msat,
  max_payments_per_minute,
  max_pending,
  out_day_msat,
  out_month_msat,
  payments_this_minute,
  pending_payments,
  client_pubkey: Type.String({ description: 'The public key of the app: 32 bytes in hex' }),
  service_pubkey: Type.String({ description: 'The public key of the service for this app: 32 bytes in hex' }),
  relays: Type.Array(Type.String({ description: 'A URL' }), { description: 'The Nostr relays, the best one first' }),
});

export const NewConnectionObject = namedObject('NewConnection', {
  ...ConnectionObject.properties,
  uri: Type.String({
    description:
      'The link that connects the app, `nostr+walletconnect://…`. It contains the secret of the app: only this response has it, and the service ' +
      'does not store it. With `client_pubkey` it contains no secret',
  }),
});

export function renderConnection({ connection, key }: ConnectionWithKey): Static<typeof ConnectionObject> {
  return {
    id: connection.id,
    created_at: connection.createdAt,
    wallet_id: connection.walletId,
    key_id: connection.keyId,
    user_label: key.user_label,
    permissions: [...connection.permissions],
    status: key.status,
    expires_at: key.expires_at,
    revoked_at: key.revoked_at,
    last_used_at: key.last_used_at,
    budget_msat: key.budget_msat,
    budget_period: key.budget_period,
    budget_spent_msat: key.budget_spent_msat,
    budget_pending_msat: key.budget_pending_msat,
    max_payment_msat: key.max_payment_msat,
    max_out_day_msat: key.max_out_day_msat,
    max_out_month_msat: key.max_out_month_msat,
    max_payments_per_minute: key.max_payments_per_minute,
    max_pending: key.max_pending,
    out_day_msat: key.out_day_msat,
    out_month_msat: key.out_month_msat,
    payments_this_minute: key.payments_this_minute,
    pending_payments: key.pending_payments,
    client_pubkey: connection.clientPubkey,
    service_pubkey: connection.servicePubkey,
    relays: [...connection.relays],
  };
}

/** @param address the Lightning address of the wallet */
export function renderNewConnection(created: NewConnection, address: string | undefined): Static<typeof NewConnectionObject> {
  return { ...renderConnection(created), uri: connectionUri(created.connection, created.secret, address) };
}
