import { type Static, Type } from 'typebox';
import { MAX_MSAT } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { readPublicKey } from '../../../core/nostr/public-key.ts';
import type { Rates } from '../../../core/rates/rates.ts';
import { DecimalAmount } from '../../../http/amounts.ts';
import { ChangedLabel, choice, described, memoText, passThruText, plainText, UserLabel } from '../../../http/fields.ts';
import { anyObject } from '../../../http/responses/response-types.ts';
import { readDomain, readName } from './address.ts';
import { readLinkPrices } from './link-limits.ts';
import type { LinkSettings } from './pay-links.sql.ts';
import { readPayerDataRequest } from './payer-data.ts';
import { readSuccessAction } from './success-action.ts';

/** 30 kB. LUD-06 allows 100 kB, but each payer loads the image and the request body holds 64 kB. */
export const MAX_IMAGE_LENGTH = 40_000;

const SendableMsat = Type.Integer({ minimum: 1000, maximum: MAX_MSAT, unit: 'millisatoshis' });
const ShortDesc = Type.String({ minLength: 1, maxLength: 639 });

const linkFields = {
  lnurlp_minSendable_msat: described(SendableMsat, 'The smallest payment in millisatoshis, at least 1000. Default of a new link: 1000'),
  lnurlp_maxSendable_msat: described(
    SendableMsat,
    'The largest payment in millisatoshis. Default of a new link: 100000000000, one bitcoin',
  ),
  currency: Type.String({
    pattern: '^([A-Z]{3})?$',
    rule: 'an ISO 4217 code in capital letters, such as EUR',
    clearable: true,
    description:
      'The currency of `amount`, `min_amount` and `max_amount`: one of those of `GET /v1/rates`. The limits are converted when the payer asks, and ' +
      'replace those in millisatoshis. null or an empty text removes them',
  }),
  amount: described(DecimalAmount, 'A fixed price in `currency`, as text'),
  min_amount: described(DecimalAmount, 'The smallest payment in `currency`, as text. Send it with `max_amount`'),
  max_amount: described(DecimalAmount, 'The largest payment in `currency`, as text'),
  lnurlp_short_desc: described(
    ShortDesc,
    'What payers read before they pay, at most 639 bytes in UTF-8. Default of a new link: `Lightning payment`',
  ),
  lnurlp_long_desc: Type.String({
    maxLength: 2000,
    clearable: true,
    description: 'A longer text for payers (LUD-20). null or an empty text removes it',
  }),
  lnurlp_image: Type.String({
    maxLength: MAX_IMAGE_LENGTH,
    clearable: true,
    description: `An image for payers: PNG or JPEG in base64, at most ${MAX_IMAGE_LENGTH} characters. null or an empty text removes it`,
  }),
  lnurlp_commentAllowed: Type.Integer({
    minimum: 0,
    maximum: 500,
    unit: 'characters',
    description: "The maximum length of a payer's comment (LUD-12), in characters; 0: no comments. Default of a new link: 255",
  }),
  lnurlp_payerData: anyObject(
    'Which data payers may or must send (LUD-18): `name`, `email`, `identifier`, `pubkey`, each with `{"mandatory": true}` or ' +
      '`{"mandatory": false}`. `{}` removes it',
  ),
  lnurlp_successAction: anyObject(
    'What payers see after they have paid: `{"tag": "message", "message"}` or `{"tag": "url", "description", "url"}` (LUD-09), with a ' +
      'URL of this service, or `{"tag": "aes", "description", "text"}` (LUD-10), whose text only the payer can read. `{}` removes it',
  ),
  lnurlp_identifier: Type.String({
    maxLength: 64,
    clearable: true,
    description:
      'The name of a Lightning address: a-z, 0-9, `-`, `_` and `.`. It is unique in its domain and stays reserved for the account. null or ' +
      'an empty text removes it from the link',
  }),
  lnurlp_domain: Type.String({
    maxLength: 255,
    description: 'The domain of the Lightning address: the host of PUBLIC_URL, which is the default, or one of ADDRESS_DOMAINS',
  }),
  nostr_pubkey: Type.String({
    maxLength: 100,
    clearable: true,
    description:
      'The Nostr public key of the owner, 64 hex digits or `npub1…`. The Lightning address is then also a Nostr identifier (NIP-05). null or an ' +
      'empty text removes it',
  }),
  passThru: anyObject('A JSON object of your own, at most 900 bytes. Each payment of the link gets it in its `passThru`. `{}` removes it'),
};

export const LinkBody = Type.Partial(Type.Object({ ...linkFields, user_label: UserLabel }), { additionalProperties: false });

const status = choice(['active', 'inactive'], { description: '`inactive`: the link cannot be paid' });
export const LinkChangeBody = Type.Partial(Type.Object({ ...linkFields, user_label: ChangedLabel, status }), {
  additionalProperties: false,
});

/** The settings of a link, with the image for payers. */
export type LinkContent = LinkSettings & { image?: Image | undefined };

export interface ImportedLinkRules {
  /** The domains of addresses; the first is the default. */
  readonly addressDomains: readonly string[];
  /** The public URL of the service. */
  readonly publicUrl: string;
}

export interface LinkRules extends ImportedLinkRules {
  /** The currencies of prices. */
  readonly rates: Pick<Rates, 'requireConfigured'>;
}

/** The fields of a request. An empty `lnurlp_domain` leaves the choice to the service. */
export type LinkChanges = Static<typeof LinkChangeBody>;

/** With a comment and data of the payer, `passThru` has at most 4 kB. */
const PASS_THRU_BYTES = 900;

/** Returns the settings after a request has changed those that it names. @throws Refusal naming the field */
export function changedSettings(current: LinkContent, changes: LinkChanges, { addressDomains, publicUrl, rates }: LinkRules): LinkContent {
  const { lnurlp_payerData: payerData, lnurlp_successAction: action, lnurlp_identifier: name, lnurlp_domain: domain } = changes;
  const changed = { ...current, ...readLinkPrices(rates, changes) };
  if (changes.status !== undefined) changed.state = changes.status;
  if (changes.user_label !== undefined) changed.user_label = plainText('user_label', changes.user_label);
  if (changes.lnurlp_short_desc !== undefined) changed.short_desc = memoText(changes.lnurlp_short_desc, 'lnurlp_short_desc');
  if (changes.lnurlp_long_desc !== undefined) changed.long_desc = plainText('lnurlp_long_desc', changes.lnurlp_long_desc) || null;
  if (changes.lnurlp_image !== undefined) changed.image = changes.lnurlp_image === '' ? undefined : readImage(changes.lnurlp_image);
  if (changes.lnurlp_minSendable_msat !== undefined) changed.min_msat = changes.lnurlp_minSendable_msat;
  if (changes.lnurlp_maxSendable_msat !== undefined) changed.max_msat = changes.lnurlp_maxSendable_msat;
  if (changes.lnurlp_commentAllowed !== undefined) changed.comment_length = changes.lnurlp_commentAllowed;
  if (payerData !== undefined) changed.payer_data = jsonOrNull(readPayerDataRequest(payerData));
  if (action !== undefined) changed.success_action = jsonOrNull(readSuccessAction(action, publicUrl));
  if (changes.passThru !== undefined) changed.pass_thru = linkPassThru(changes.passThru);
  if (name !== undefined) changed.name = name === '' ? null : readName(name);
  if (domain) changed.domain = readDomain(domain, addressDomains);
  if (changes.nostr_pubkey !== undefined) changed.nostr_pubkey = changes.nostr_pubkey === '' ? null : readNostrKey(changes.nostr_pubkey);
  if (changed.min_msat > changed.max_msat)
    throw new Refusal('validation_failed', '`lnurlp_minSendable_msat` must not exceed `lnurlp_maxSendable_msat`.');
  if (changed.name !== null) return { ...changed, domain: changed.domain ?? addressDomains[0] ?? '' };
  if (domain !== undefined && name === undefined)
    throw new Refusal('validation_failed', '`lnurlp_domain` must be sent with `lnurlp_identifier`.');
  return { ...changed, domain: null };
}

/** @throws Refusal */
function readNostrKey(text: string): string {
  const key = readPublicKey(text);
  if (key !== undefined) return key;
  throw new Refusal('validation_failed', '`nostr_pubkey` must be a Nostr public key: 64 hex digits, or npub1 and 58 characters.');
}

function jsonOrNull(value: object | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}

/** Returns null for an empty object. */
function linkPassThru(passThru: object): string | null {
  const text = passThruText(passThru) ?? '{}';
  if (Buffer.byteLength(text) > PASS_THRU_BYTES)
    throw new Refusal('validation_failed', `\`passThru\` of a pay link must be at most ${PASS_THRU_BYTES} bytes of JSON.`);
  return text === '{}' ? null : text;
}

/** A thumbnail as an entry of the metadata: its type, and its data in base64. */
export type Image = readonly [type: 'image/png;base64' | 'image/jpeg;base64', data: string];

/**
 * Returns the metadata that a paying wallet shows, as the text that invoices commit to. The address is `text/identifier`, because the service
 * has no mail. Source: LUD-06, LUD-16, LUD-20.
 */
export function metadataText({ short_desc, long_desc, domain, name, image }: LinkContent): string {
  const entries: (readonly string[])[] = [['text/plain', short_desc]];
  if (name !== null) entries.push(['text/identifier', `${name}@${domain}`]);
  if (long_desc !== null) entries.push(['text/long-desc', long_desc]);
  if (image) entries.push(image);
  return JSON.stringify(entries);
}

/** Returns the image in a text of {@link metadataText}. */
export function imageIn(metadata: string): Image | undefined {
  return (JSON.parse(metadata) as [string, string][]).find((entry): entry is [Image[0], string] => entry[0].startsWith('image/'));
}

const FORMATS: readonly (readonly [Image[0], magic: string])[] = [
  ['image/png;base64', '89504e470d0a1a0a'],
  ['image/jpeg;base64', 'ffd8ff'],
];

/** Reads a PNG or JPEG in base64. @throws Refusal */
export function readImage(data: string): Image {
  const bytes = Buffer.from(data, 'base64');
  const start = bytes.subarray(0, 8).toString('hex');
  const [type] = FORMATS.find(([, magic]) => start.startsWith(magic)) ?? [];
  if (type !== undefined && data.length <= MAX_IMAGE_LENGTH && bytes.toString('base64') === data) return [type, data];
  throw new Refusal(
    'validation_failed',
    `\`lnurlp_image\` must be a PNG or JPEG image in base64 with padding, of at most ${MAX_IMAGE_LENGTH} characters.`,
  );
}
