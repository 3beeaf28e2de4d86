import { Refusal } from '../../core/kernel/refusal.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { importedLink, isLinkIdFree, isNameFree } from '../lnurl/pay/imported-links.ts';
import type { LinkChanges } from '../lnurl/pay/link-settings.ts';
import { readSuccessAction } from '../lnurl/pay/success-action.ts';
import * as sql from './import.sql.ts';
import type { SourceLink } from './source.ts';
import type { WriteContext } from './write-wallet.ts';

const MAX_DESCRIPTION_BYTES = 639;

/** Returns the rows of the pay links of a wallet, with their addresses and paths, and warnings about what cannot be kept. */
export async function linkRows(
  context: WriteContext,
  wallet: Wallet,
  links: readonly SourceLink[],
): Promise<{ rows: readonly RowWrite[]; warnings: readonly string[] }> {
  const [references, rows]: [RowWrite[], RowWrite[]] = [[], []];
  const warnings: string[] = [];
  const taken = new Set<string>();
  for (const link of links.filter(({ leftOut }) => leftOut === undefined)) {
    const name = await freeName(context, link, taken, warnings);
    // A link that has only an address is the default link of the new wallet without it.
    if (name === undefined && link.paths.length === 0 && !link.keepsId) continue;
    const ownId = link.keepsId && (await isLinkIdFree(context.database, link.id)) ? link.id : undefined;
    if (link.keepsId && ownId === undefined) warnings.push(`the pay link ${link.id} gets a new id, because another link has its own`);
    const made = importedLink(wallet, linkFields(context, link, name, warnings), context, { nowMs: context.clock.nowMs(), ownId });
    references.push(...made.references);
    rows.push(...made.rows);
    for (const path of link.paths) rows.push({ statement: sql.insertPath, parameters: [path, made.id], onMiss: () => pathTaken(path) });
  }
  return { rows: [...references, ...rows], warnings };
}

function pathTaken(path: string): Error {
  return new Error(`another imported pay link has the path ${path}`);
}

/** Returns the name of the address if it can be kept. */
async function freeName(
  { database, choices: { addressDomain } }: WriteContext,
  { id, name }: SourceLink,
  taken: Set<string>,
  warnings: string[],
): Promise<string | undefined> {
  if (name === undefined || addressDomain === undefined) return undefined;
  if (!taken.has(name) && (await isNameFree(database, addressDomain, name))) {
    taken.add(name);
    return name;
  }
  warnings.push(`the address ${name}@${addressDomain} of the pay link ${id} is taken`);
  return undefined;
}

function linkFields({ choices, publicUrl }: WriteContext, link: SourceLink, name: string | undefined, warnings: string[]): LinkChanges {
  const { id, minMsat, maxMsat, commentLength, successText, successUrl } = link;
  const fields: LinkChanges = {
    lnurlp_short_desc: shortened(link.shortDesc),
    lnurlp_minSendable_msat: Math.min(minMsat, maxMsat),
    lnurlp_maxSendable_msat: maxMsat,
    lnurlp_commentAllowed: commentLength,
    ...(name !== undefined && { lnurlp_identifier: name, lnurlp_domain: choices.addressDomain ?? '' }),
  };
  const action =
    successUrl === undefined ? messageOf(successText) : { tag: 'url', description: successText ?? successUrl, url: successUrl };
  if (!action) return fields;
  try {
    readSuccessAction(action, publicUrl);
    return { ...fields, lnurlp_successAction: action };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    warnings.push(
      `the text or URL that the pay link ${id} shows after a payment is not imported: it is too long, or its URL is not of this service`,
    );
    return fields;
  }
}

function messageOf(text: string | undefined) {
  return text === undefined ? undefined : { tag: 'message', message: text };
}

/** Cuts a description to what an invoice can contain. */
function shortened(text: string): string {
  let short = text.replace(/\p{Cc}/gu, ' ').trim();
  while (Buffer.byteLength(short) > MAX_DESCRIPTION_BYTES) short = Array.from(short).slice(0, -1).join('');
  return short === '' ? 'Lightning payment' : short;
}
