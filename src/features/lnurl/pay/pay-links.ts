import type { Database, Tx } from '../../../core/db/database.ts';
import { isUniqueViolation } from '../../../core/db/errors.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import type { Invoices } from '../../../core/invoices/invoices.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { isId, newId } from '../../../core/kernel/ids.ts';
import { type Guard, type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import type { Wallet, Wallets } from '../../../core/wallets/wallets.ts';
import { AddressTaken } from './address.ts';
import { linkColumns } from './link-columns.ts';
import { changedSettings, DEFAULT_SETTINGS, type LinkChanges, type LinkRules, type LinkSettings } from './link-settings.ts';
import { type PayLink, rowToPayLink, rowToWholePayLink, type WholePayLink } from './pay-link.ts';
import * as sql from './pay-links.sql.ts';
import { createPayRequests, type PayRequests } from './pay-requests.ts';

export interface PayLinkDependencies extends LinkRules {
  readonly database: Database;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly clock: Clock;
}

/** Conditions of a change, such as the validity of the key, and rows to write with it. */
export interface ChangeOptions {
  readonly guards: readonly Guard[];
  readonly extraRows?: (linkId: string) => readonly RowWrite[];
}

/** Selects the links of an account or of a wallet. */
export type PayLinkOwner = { readonly accountId: string } | { readonly walletId: string };

/** Pay links and Lightning addresses (LUD-06, LUD-16), with the requests of payers. */
export interface PayLinks extends PayRequests {
  /** @throws Refusal `validation_failed`, `address_taken` */
  create(wallet: Wallet, changes: LinkChanges, options: ChangeOptions): Promise<WholePayLink>;
  /** Changes a link. A name that it had stays reserved for the account. @throws Refusal `validation_failed`, `address_taken` */
  change(id: string, changes: LinkChanges, options: ChangeOptions): Promise<WholePayLink>;
  find(id: string): Promise<WholePayLink | undefined>;
  /** Returns a page of links, newest first, and their number. */
  list(owner: PayLinkOwner, limit: number, offset: number): Promise<{ links: PayLink[]; total: number }>;
  /** Returns the links after an id in that order. */
  listAfter(owner: PayLinkOwner, limit: number, afterId: string): Promise<PayLink[]>;
}

export function createPayLinks(deps: PayLinkDependencies): PayLinks {
  const { database, clock, publicUrl } = deps;

  async function write<T>(guards: readonly Guard[], work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        return work(tx);
      });
    } catch (error) {
      // Two active links cannot have one address.
      throw isUniqueViolation(error, 'pay_link') ? new AddressTaken() : error;
    }
  }

  async function read(tx: Tx, id: string): Promise<WholePayLink> {
    const row = await tx.first(sql.findLink, id);
    invariant(row, `pay link ${id} is gone`);
    return rowToWholePayLink(row, publicUrl);
  }

  return {
    ...createPayRequests(deps),
    async create(wallet, changes, { guards, extraRows }) {
      const settings = changedSettings(DEFAULT_SETTINGS, changes, deps);
      const id = `lnurlp_${newId(clock.nowMs())}`;
      const now = unixSeconds(clock);
      return write(guards, async (tx) => {
        const columns = await prepareColumns(tx, wallet.accountId, settings, now);
        await tx.run(sql.insertLink, id, wallet.id, wallet.accountId, ...columns, now);
        await writeRows(tx, extraRows?.(id) ?? []);
        return read(tx, id);
      });
    },
    async change(id, changes, { guards, extraRows }) {
      const now = unixSeconds(clock);
      return write(guards, async (tx) => {
        await tx.first(sql.lockLink, id);
        const link = await read(tx, id);
        const columns = await prepareColumns(tx, link.accountId, changedSettings(link, changes, deps), now);
        await tx.run(sql.updateLink, id, ...columns, now);
        await writeRows(tx, extraRows?.(id) ?? []);
        return read(tx, id);
      });
    },
    async find(id) {
      const row = isId(id) ? await database.first(sql.findLink, id) : undefined;
      return row && rowToWholePayLink(row, publicUrl);
    },
    async list(owner, limit, offset) {
      const isWallet = 'walletId' in owner;
      const ownerId = isWallet ? owner.walletId : owner.accountId;
      const rows = await database.all(isWallet ? sql.listOfWallet : sql.listOfAccount, ownerId, limit, offset);
      const count = await database.first(isWallet ? sql.countOfWallet : sql.countOfAccount, ownerId);
      return { links: rows.map((row) => rowToPayLink(row, publicUrl)), total: count?.n ?? 0 };
    },
    async listAfter(owner, limit, afterId) {
      const [statement, ownerId] =
        'walletId' in owner ? [sql.listOfWalletAfter, owner.walletId] : [sql.listOfAccountAfter, owner.accountId];
      return (await database.all(statement, ownerId, afterId, limit)).map((row) => rowToPayLink(row, publicUrl));
    },
  };
}

/** Stores what a link with these settings refers to, and returns its columns. @throws AddressTaken */
async function prepareColumns(tx: Tx, accountId: string, settings: LinkSettings, now: number) {
  const { parameters, metadata } = linkColumns(settings);
  const { address } = settings;
  if (address && (await tx.run(sql.takeName, address.domain, address.name, accountId, now)) !== 1) throw new AddressTaken();
  await tx.run(sql.insertMetadata, metadata.hash, metadata.text);
  return parameters;
}
