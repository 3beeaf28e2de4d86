import type { RowWrite } from '../../../core/ledger/ledger.ts';
import { defaultPayLinkId, type Wallet } from '../../../core/wallets/wallets.ts';
import { linkColumns } from './link-columns.ts';
import { DEFAULT_SETTINGS } from './link-settings.ts';
import * as sql from './pay-links.sql.ts';

const { parameters: DEFAULT_PARAMETERS } = linkColumns(DEFAULT_SETTINGS);

/** Returns the row of a new wallet's pay link, for the transaction that creates the wallet. A migration has inserted its metadata. */
export function defaultLinkRow({ id, accountId, createdAt }: Wallet): RowWrite {
  const parameters = [defaultPayLinkId(id), id, accountId, ...DEFAULT_PARAMETERS, createdAt];
  return { statement: sql.insertLink, parameters, onMiss: new Error('the pay link of a new wallet was not stored') };
}
