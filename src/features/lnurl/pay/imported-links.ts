import type { SqlReader } from '../../../core/db/database.ts';
import { searchRows } from '../../../core/journal/search-words.ts';
import { newId } from '../../../core/kernel/ids.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { RowWrite } from '../../../core/ledger/ledger.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import { descriptionHash } from '../lnurl.ts';
import { changedSettings, type ImportedLinkRules, type LinkChanges, type LinkRules, metadataText } from './link-settings.ts';
import { DEFAULT_SETTINGS, findLink, findName, insertLink, insertMetadata, settingParameters, takeName } from './pay-links.sql.ts';

/** Returns whether no account has taken the name at the domain. */
export async function isNameFree(reader: SqlReader, domain: string, name: string): Promise<boolean> {
  return (await reader.first(findName, domain, name)) === undefined;
}

/** Returns whether no link has the id. */
export async function isLinkIdFree(reader: SqlReader, id: string): Promise<boolean> {
  return (await reader.first(findLink, id)) === undefined;
}

/** Links with prices in a currency are not imported. */
const NO_RATES: LinkRules['rates'] = {
  requireConfigured: () => {
    throw new Refusal('validation_failed', '`currency` must be left out: links with prices in a currency are not imported.');
  },
};

/** The id of a new pay link, and its rows for the posting that creates its wallet. */
export interface ImportedLink {
  readonly id: string;
  /** Its address and its metadata. Write them before the rows of any link: a batch writes the rows of one statement together. */
  readonly references: readonly RowWrite[];
  readonly rows: readonly RowWrite[];
}

/** Returns a pay link with these fields of the API, and its id in the source if it keeps that. @throws Refusal `validation_failed`, `address_taken` */
export function importedLink(
  wallet: Wallet,
  fields: LinkChanges,
  rules: ImportedLinkRules,
  { nowMs, ownId }: { nowMs: number; ownId?: string | undefined },
): ImportedLink {
  const settings = changedSettings(DEFAULT_SETTINGS, fields, { ...rules, rates: NO_RATES });
  const id = ownId ?? `lnurlp_${newId(nowMs)}`;
  const now = Math.floor(nowMs / 1000);
  const text = metadataText(settings);
  const hash = descriptionHash(text);
  const { domain, name } = settings;
  const address: RowWrite[] =
    name === null
      ? []
      : [{ statement: takeName, parameters: [domain, name, wallet.accountId, now], onMiss: () => new Refusal('address_taken') }];
  const words = searchRows({ id, owner: wallet.accountId, text: name === null ? '' : `${name}@${domain}` });
  const parameters = [id, wallet.id, wallet.accountId, hash, now, ...settingParameters(settings)];
  return {
    id,
    references: [...address, { statement: insertMetadata, parameters: [hash, text], onMiss: 'ignore' }],
    rows: [{ statement: insertLink, parameters, onMiss: () => new Error('the pay link was not stored') }, ...words],
  };
}
