import { randomBytes } from 'node:crypto';
import type { Key, KeyOwner } from '../../core/accounts/accounts.ts';
import type { KeyState } from '../../core/accounts/key-states.ts';
import type { KeyOrder, Keyring, ListedKey } from '../../core/accounts/keyring.ts';
import type { Database } from '../../core/db/database.ts';
import { openList } from '../../core/db/list.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { type List, mapList } from '../../core/kernel/list.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';
import { publicKeyOf } from '../../core/nostr/event.ts';
import { deriveNostrKey } from '../../core/nostr/keys.ts';
import * as sql from './connections.sql.ts';
import type { ConnectionPermission } from './methods.ts';

/** An app that uses a wallet over Nostr (NIP-47). Keys are x-only, in hex. */
export interface Connection {
  /** `nwc_…` */
  readonly id: string;
  readonly keyId: string;
  readonly walletId: string;
  readonly accountId: string;
  readonly permissions: readonly ConnectionPermission[];
  readonly clientPubkey: string;
  readonly servicePubkey: string;
  /** The best one first. */
  readonly relays: readonly string[];
  /** Unix seconds. */
  readonly createdAt: number;
  /** The encryption of its last request; undefined before the first one. */
  readonly scheme: EncryptionScheme | undefined;
}

/** A connection with its access key. */
export interface ConnectionWithKey {
  readonly connection: Connection;
  readonly key: ListedKey;
}

/** A new connection. */
export interface NewConnection extends ConnectionWithKey {
  /** The secret of the app, 64 hex digits, which is not stored; undefined if the app has a key of its own. */
  readonly secret: string | undefined;
}

export interface ConnectionOrder {
  readonly permissions: readonly ConnectionPermission[];
  /** Absent: a key is created for the app. */
  readonly clientPubkey?: string | undefined;
  readonly key: Omit<KeyOrder, 'kind'>;
}

export interface ConnectionDependencies {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** The bytes of SECRET_KEY. */
  readonly secretKey: Uint8Array;
  /** The relays of new connections. Empty: apps cannot be connected. */
  readonly relays: readonly string[];
}

/** The prefix of ids. */
export const CONNECTION_PREFIX = 'nwc';

/** Manages the connections of wallets. */
export type Connections = ReturnType<typeof createConnections>;

export function createConnections({ database, keyring, clock, secretKey, relays }: ConnectionDependencies) {
  const serviceKeyOf = (connectionId: string) => deriveNostrKey(secretKey, `wallet connect ${connectionId}`);

  async function read({ walletId }: KeyOwner, id: string): Promise<ConnectionWithKey> {
    const row = await database.first(sql.findConnection, id);
    if (!row || row.wallet_id !== walletId) throw new Refusal('not_found');
    const [found] = await withKeys(keyring, [row]);
    invariant(found, 'one row has one connection');
    return found;
  }

  /** Connects an app to a wallet. @throws Refusal `not_supported` without relays, and as {@link Keyring.create} */
  async function create(
    by: Key,
    owner: KeyOwner,
    order: ConnectionOrder,
    extraRows: (id: string, secret?: string) => readonly RowWrite[],
  ): Promise<NewConnection> {
    const { accountId, walletId } = owner;
    if (relays.length === 0 || walletId === undefined) throw new Refusal('not_supported', NO_RELAYS);
    const id = `${CONNECTION_PREFIX}_${newId(clock.nowMs())}`;
    const secret = order.clientPubkey === undefined ? randomBytes(32) : undefined;
    const secretText = secret?.toString('hex');
    const connection = {
      id,
      walletId,
      accountId,
      permissions: order.permissions,
      clientPubkey: order.clientPubkey ?? publicKeyOf(secret as Uint8Array),
      servicePubkey: publicKeyOf(serviceKeyOf(id)),
      relays,
      createdAt: unixSeconds(clock),
      scheme: undefined,
    };
    const created = await keyring.create(by, owner, { ...order.key, kind: 'wallet_connection' }, (made) => [
      insertRow({ ...connection, keyId: made.id }),
      ...extraRows(id, secretText),
    ]);
    const { key: _unused, ...key } = created;
    return { connection: { ...connection, keyId: key.id }, key, secret: secretText };
  }

  return {
    /** Returns the private key of the service for a connection. It is not stored. */
    serviceKeyOf,
    create,

    /** @throws Refusal `not_found` */
    find: read,

    list({ walletId }: KeyOwner): List<ConnectionWithKey> {
      const rows = openList(database, { statements: sql.listConnections, filters: [walletId ?? ''], prefix: CONNECTION_PREFIX });
      return mapList(rows, (page) => withKeys(keyring, page));
    },

    /** Returns the connections of all wallets of an account, or of one of them. */
    listOfAccount({ accountId, walletId }: KeyOwner, state: KeyState = 'all'): List<ConnectionWithKey> {
      const filters = [accountId, walletId ?? null];
      const rows = openList(database, { statements: sql.listOfAccountBy[state], filters, prefix: CONNECTION_PREFIX });
      return mapList(rows, (page) => withKeys(keyring, page));
    },

    /** Disconnects an app. When it returns, the app can start nothing. @throws Refusal `not_found` */
    async revoke(by: Key, owner: KeyOwner, id: string): Promise<ConnectionWithKey> {
      const { connection } = await read(owner, id);
      return { connection, key: await keyring.revoke(by, owner, connection.keyId) };
    },

    /** Returns whether an app was ever connected. */
    hasAny: async (): Promise<boolean> => (await database.first(sql.findAnyConnection)) !== undefined,

    async findById(id: string): Promise<Connection | undefined> {
      const row = await database.first(sql.findConnection, id);
      return row && connectionFromRow(row);
    },

    /** Returns the connection of an access key. */
    async ofKey(keyId: string): Promise<Connection | undefined> {
      const row = await database.first(sql.findConnectionOfKey, keyId);
      return row && connectionFromRow(row);
    },

    /** Stores the encryption of an app's last request. */
    storeScheme: (id: string, scheme: EncryptionScheme) => database.transaction((tx) => tx.run(sql.storeScheme, id, scheme)),

    /** Returns connections after an id that are valid or were revoked after a time (Unix seconds), in the order of their ids. */
    async listServed(afterId: string, limit: number, revokedAfter: number): Promise<ListedConnection[]> {
      return (await database.all(sql.listServed, afterId, limit, revokedAfter)).map(listedFromRow);
    },
  };
}

interface ListedConnection {
  readonly connection: Connection;
  /** Unix seconds. */
  readonly revokedAt: number | undefined;
}

function listedFromRow(row: sql.ConnectionRow & { readonly revoked_at: number | null }): ListedConnection {
  return { connection: connectionFromRow(row), revokedAt: row.revoked_at ?? undefined };
}

async function withKeys(keyring: Keyring, rows: readonly sql.ConnectionRow[]): Promise<ConnectionWithKey[]> {
  const keys = new Map((await keyring.findMany(rows.map(({ key_id }) => key_id))).map((key) => [key.id, key]));
  return rows.map((row) => {
    const key = keys.get(row.key_id);
    invariant(key, `the key of connection ${row.id} is gone`);
    return { connection: connectionFromRow(row), key };
  });
}

const NO_RELAYS = 'This service uses no Nostr relays, so apps cannot be connected. Its operator sets NWC_RELAYS.';

function insertRow({ id, keyId, walletId, permissions, clientPubkey, servicePubkey, relays, createdAt }: Connection): RowWrite {
  const parameters = [id, keyId, walletId, permissions.join(' '), clientPubkey, servicePubkey, relays.join(' '), createdAt];
  return { statement: sql.insertConnection, parameters, onMiss: new Error('the connection was not stored') };
}

function connectionFromRow(row: sql.ConnectionRow): Connection {
  return {
    id: row.id,
    keyId: row.key_id,
    walletId: row.wallet_id,
    accountId: row.account_id,
    permissions: row.permissions.split(' ').filter(Boolean) as ConnectionPermission[],
    clientPubkey: row.client_pubkey,
    servicePubkey: row.service_pubkey,
    relays: row.relays.split(' '),
    createdAt: row.created_at,
    scheme: row.scheme ?? undefined,
  };
}

/**
 * Returns the link with which an app connects (NIP-47). Its last part is the secret of the app.
 * @param address the Lightning address of the wallet
 */
export function connectionUri({ servicePubkey, relays }: Connection, secret: string | undefined, address?: string): string {
  const query = new URLSearchParams();
  for (const relay of relays) query.append('relay', relay);
  if (secret !== undefined) query.set('secret', secret);
  if (address !== undefined) query.set('lud16', address);
  return `nostr+walletconnect://${servicePubkey}?${query}`;
}
