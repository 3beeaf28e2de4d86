import type { Accounts, Key } from '../../core/accounts/accounts.ts';
import type { KeyUses } from '../../core/accounts/key-uses.ts';
import type { Keyring } from '../../core/accounts/keyring.ts';
import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { HoldInvoices } from '../../core/hold-invoices/hold-invoices.ts';
import type { EventLog } from '../../core/journal/event-log.ts';
import type { Log } from '../../core/kernel/log.ts';
import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';
import type { Tasks } from '../../core/tasks/tasks.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import type { Sources } from '../transactions/complete.ts';
import type { Connection } from './connections.ts';
import type { NwcMethod } from './methods.ts';

/** The modules that requests of apps use. */
export interface NwcModules extends Sources {
  readonly accounts: Accounts;
  readonly keyring: Keyring;
  readonly keyUses: KeyUses;
  readonly connections: NodeConnections;
  readonly alerts: Alerts;
  readonly holdInvoices: HoldInvoices;
  readonly eventLog: EventLog;
  readonly log: Log;
  readonly tasks: Tasks;
  readonly payLinks: { addressOf(walletId: string): Promise<string | undefined> };
  /** How long a request waits for the end of a payment before it is answered later. */
  readonly paymentWaitSeconds: number;
}

/** A request of an app, after its event was authenticated. */
export interface AppRequest {
  /** The id of its event in hex; for one of several items also the number of the item. */
  readonly id: string;
  readonly method: NwcMethod;
  readonly scheme: EncryptionScheme;
  /** The id that the app gave an item. */
  readonly item: string | undefined;
  readonly connection: Connection;
  readonly key: Key;
  readonly wallet: Wallet;
}
