import type { Database, Tx } from '../../../core/db/database.ts';
import { isUniqueViolation } from '../../../core/db/errors.ts';
import { openList } from '../../../core/db/list.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import type { Invoices } from '../../../core/invoices/invoices.ts';
import { changedSearchRows, searchRows } from '../../../core/journal/search-words.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { isId, newId } from '../../../core/kernel/ids.ts';
import type { List } from '../../../core/kernel/list.ts';
import { Refusal, requireFound } from '../../../core/kernel/refusal.ts';
import { type Guard, type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import type { Rates } from '../../../core/rates/rates.ts';
import { defaultPayLinkId, type Wallet, type Wallets } from '../../../core/wallets/wallets.ts';
import { descriptionHash } from '../lnurl.ts';
import type { Zaps } from '../nostr/zaps.ts';
import type { AddressHosts } from './address.ts';
import { changedSettings, imageIn, type LinkChanges, type LinkContent, type LinkRules, metadataText } from './link-settings.ts';
import * as sql from './pay-links.sql.ts';
import { createPayRequests } from './pay-requests.ts';

export interface PayLinkOptions extends LinkRules, AddressHosts {
  readonly rates: Rates;
  readonly database: Database;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  /** The maximum of open invoices of one wallet that payers requested. */
  readonly maxOpenInvoices: number;
  /** The bytes of SECRET_KEY. */
  readonly secretKey: Uint8Array;
  readonly zaps: Zaps;
  readonly clock: Clock;
}

/** A link or an address through which others pay a wallet (LUD-06, LUD-16). A link of a list has no metadata. */
export type PayLink = sql.PayLinkRow & Partial<sql.WholePayLinkRow>;

/** The text of a link whose owner has set none. */
export const DEFAULT_DESCRIPTION = sql.DEFAULT_SETTINGS.short_desc;

/** Conditions of a change, such as the validity of the key, and rows to write with it. */
export interface ChangeOptions {
  readonly guards: readonly Guard[];
  readonly extraRows?: (linkId: string) => readonly RowWrite[];
}

/** The links of an account, perhaps only those of a wallet or in a state. */
export interface PayLinkFilter {
  readonly accountId: string;
  readonly walletId: string | undefined;
  readonly state: sql.LinkSettings['state'] | undefined;
}

export type PayLinks = ReturnType<typeof createPayLinks>;

/** Pay links and Lightning addresses, with the requests of payers. */
export function createPayLinks(options: PayLinkOptions) {
  const { database, clock } = options;

  /** Runs a task that stores a link, in a transaction. @returns the link @throws Refusal `address_taken` */
  async function write(id: string, { guards, extraRows }: ChangeOptions, task: (tx: Tx) => Promise<void>): Promise<PayLink> {
    try {
      return await database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        await task(tx);
        await writeRows(tx, extraRows?.(id) ?? []);
        return readLink(tx, id);
      });
    } catch (error) {
      // Two active links cannot have one address.
      throw isUniqueViolation(error, 'pay_link') ? new Refusal('address_taken') : error;
    }
  }

  async function find(id: string): Promise<PayLink | undefined> {
    return isId(id) ? database.first(sql.findLink, id) : undefined;
  }

  function listOfWallet(walletId: string): List<PayLink> {
    return openList(database, { statements: sql.LISTS.wallet, filters: [walletId], prefix: 'lnurlp' });
  }

  return {
    ...createPayRequests(options),
    find,

    /** Creates a link. @throws Refusal `validation_failed`, `address_taken` */
    create(wallet: Wallet, changes: LinkChanges, change: ChangeOptions): Promise<PayLink> {
      const settings = changedSettings(sql.DEFAULT_SETTINGS, changes, options);
      const id = `lnurlp_${newId(clock.nowMs())}`;
      const now = unixSeconds(clock);
      return write(id, change, async (tx) => {
        const hash = await storeReferences(tx, wallet.accountId, settings, now);
        await tx.run(sql.insertLink, id, wallet.id, wallet.accountId, hash, now, ...sql.settingParameters(settings));
        await writeRows(tx, searchRows({ id, owner: wallet.accountId, text: searchTextOf(settings) }));
      });
    },

    /** Changes a link. A name that it had stays reserved for the account. @throws Refusal `validation_failed`, `address_taken` */
    change(id: string, changes: LinkChanges, change: ChangeOptions): Promise<PayLink> {
      const now = unixSeconds(clock);
      return write(id, change, async (tx) => {
        await tx.first(sql.lockLink, id);
        const link = await readLink(tx, id);
        const settings = changedSettings({ ...link, image: imageIn(link.metadata) }, changes, options);
        const hash = await storeReferences(tx, link.account_id, settings, now);
        await tx.run(sql.updateLink, id, hash, now, ...sql.settingParameters(settings));
        await writeRows(tx, changedSearchRows({ id, owner: link.account_id, text: searchTextOf(settings) }, searchTextOf(link)));
      });
    },

    /** Returns the links of a wallet, without metadata. */
    listOfWallet,

    /** Returns the links of an account that the filter selects, without metadata. */
    listOfAccount(filter: PayLinkFilter): List<PayLink> {
      return openList(database, { statements: sql.LISTS.account, filters: parametersOf(filter), prefix: 'lnurlp' });
    },

    /** Returns the sums over the links that {@link listOfAccount} returns. */
    async totalOfAccount(filter: PayLinkFilter): Promise<sql.TotalRow> {
      return requireFound(await database.first(sql.totalOfAccount, ...parametersOf(filter)));
    },

    /** Returns the Lightning address of a wallet: the oldest one among its first hundred links. */
    async addressOf(walletId: string): Promise<string | undefined> {
      const { items } = await listOfWallet(walletId).readPage({ limit: 100, order: 'asc' });
      const link = items.find(({ state, name }) => state === 'active' && name !== null);
      return link && `${link.name}@${link.domain}`;
    },
  };
}

function parametersOf({ accountId, walletId, state }: PayLinkFilter): (string | null)[] {
  return [accountId, walletId ?? null, state ?? null];
}

/** The label and the address. */
function searchTextOf({ user_label, name, domain }: sql.LinkSettings): string {
  return name === null ? user_label : `${user_label} ${name}@${domain}`;
}

async function readLink(tx: Tx, id: string): Promise<sql.WholePayLinkRow> {
  const link = await tx.first(sql.findLink, id);
  invariant(link, `pay link ${id} is gone`);
  return link;
}

/** Stores the address and the metadata of a link. @returns the hash of the metadata @throws Refusal `address_taken` */
async function storeReferences(tx: Tx, accountId: string, settings: LinkContent, now: number): Promise<string> {
  const { domain, name } = settings;
  if (name !== null && (await tx.run(sql.takeName, domain, name, accountId, now)) !== 1) throw new Refusal('address_taken');
  const text = metadataText(settings);
  const hash = descriptionHash(text);
  await tx.run(sql.insertMetadata, hash, text);
  return hash;
}

const DEFAULT_HASH = descriptionHash(metadataText(sql.DEFAULT_SETTINGS));

/** Returns the row of a new wallet's pay link, for the transaction that creates the wallet. A migration has inserted its metadata. */
export function defaultLinkRow({ id, accountId, createdAt }: Wallet): RowWrite {
  const parameters = [defaultPayLinkId(id), id, accountId, DEFAULT_HASH, createdAt, ...sql.settingParameters(sql.DEFAULT_SETTINGS)];
  return { statement: sql.insertLink, parameters, onMiss: () => new Error('the pay link of a new wallet was not stored') };
}
