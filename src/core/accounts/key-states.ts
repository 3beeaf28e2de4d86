/** Expiry is compared with the clock of the database, which all instances share. */
const IS_EXPIRED = 'k.expires_at <= extract(epoch FROM now())';

/** The states of a key, of the table `access_key k`. */
export const KEY_STATES = {
  all: 'TRUE',
  active: `k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > extract(epoch FROM now()))`,
  expired: `k.revoked_at IS NULL AND ${IS_EXPIRED}`,
  revoked: 'k.revoked_at IS NOT NULL',
  ended: `(k.revoked_at IS NOT NULL OR ${IS_EXPIRED})`,
};

export type KeyState = keyof typeof KEY_STATES;
