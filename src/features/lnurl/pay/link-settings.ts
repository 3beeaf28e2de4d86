import { type Msat, satToMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { addressText, type LightningAddress, readDomain, readName } from './address.ts';
import { type Image, type Metadata, readImage } from './metadata.ts';
import { type PayerDataRequest, readPayerDataRequest } from './payer-data.ts';
import { readSuccessAction, type SuccessAction } from './success-action.ts';

/** What the owner of a pay link can set. */
export interface LinkSettings {
  readonly status: 'active' | 'inactive';
  /** For the owner alone. */
  readonly userLabel: string;
  readonly shortDesc: string;
  readonly longDesc: string | undefined;
  readonly image: Image | undefined;
  readonly minMsat: Msat;
  readonly maxMsat: Msat;
  /** The maximum length of a comment, in characters. */
  readonly commentLength: number;
  readonly payerData: PayerDataRequest | undefined;
  readonly successAction: SuccessAction | undefined;
  /** JSON text. Part of the `passThru` of each payment. */
  readonly passThru: string | undefined;
  readonly address: LightningAddress | undefined;
}

/** The settings of a new wallet's link. */
export const DEFAULT_SETTINGS: LinkSettings = {
  status: 'active',
  userLabel: '',
  shortDesc: 'Lightning payment',
  longDesc: undefined,
  image: undefined,
  minMsat: satToMsat(1),
  maxMsat: satToMsat(100_000_000),
  commentLength: 255,
  payerData: undefined,
  successAction: undefined,
  passThru: undefined,
  address: undefined,
};

/** A change of settings. An undefined field keeps its value; an empty text or object removes it. */
export interface LinkChanges {
  readonly status?: LinkSettings['status'] | undefined;
  readonly userLabel?: string | undefined;
  readonly shortDesc?: string | undefined;
  readonly longDesc?: string | undefined;
  /** Base64. */
  readonly image?: string | undefined;
  readonly minMsat?: Msat | undefined;
  readonly maxMsat?: Msat | undefined;
  readonly commentLength?: number | undefined;
  readonly payerData?: object | undefined;
  readonly successAction?: object | undefined;
  readonly passThru?: string | undefined;
  readonly name?: string | undefined;
  readonly domain?: string | undefined;
}

export interface LinkRules {
  /** The domains of addresses; the first is the default. */
  readonly addressDomains: readonly string[];
  /** The public URL of the service. */
  readonly publicUrl: string;
}

/** Returns the settings after a change. @throws Refusal */
export function changedSettings(settings: LinkSettings, changes: LinkChanges, rules: LinkRules): LinkSettings {
  const { payerData, successAction, image } = changes;
  const changed: LinkSettings = {
    status: changes.status ?? settings.status,
    userLabel: changes.userLabel ?? settings.userLabel,
    shortDesc: changes.shortDesc ?? settings.shortDesc,
    longDesc: changedText(settings.longDesc, changes.longDesc),
    image: image === undefined ? settings.image : image === '' ? undefined : readImage(image),
    minMsat: changes.minMsat ?? settings.minMsat,
    maxMsat: changes.maxMsat ?? settings.maxMsat,
    commentLength: changes.commentLength ?? settings.commentLength,
    payerData: payerData === undefined ? settings.payerData : readPayerDataRequest(payerData),
    successAction: successAction === undefined ? settings.successAction : readSuccessAction(successAction, rules.publicUrl),
    passThru: changes.passThru === '{}' ? undefined : (changes.passThru ?? settings.passThru),
    address: changedAddress(settings.address, changes, rules.addressDomains),
  };
  if (changed.minMsat > changed.maxMsat)
    throw new Refusal('validation_failed', '`lnurlp_minSendable_msat` must not exceed `lnurlp_maxSendable_msat`.');
  return changed;
}

function changedText(current: string | undefined, change: string | undefined): string | undefined {
  return change === undefined ? current : change === '' ? undefined : change;
}

function changedAddress(
  current: LightningAddress | undefined,
  { name, domain }: LinkChanges,
  domains: readonly string[],
): LightningAddress | undefined {
  if (name === '') return undefined;
  if (name === undefined && domain === undefined) return current;
  const wantedName = name === undefined ? current?.name : readName(name);
  if (wantedName === undefined) throw new Refusal('validation_failed', '`lnurlp_domain` must be sent with `lnurlp_identifier`.');
  const wantedDomain = domain === undefined || domain === '' ? (current?.domain ?? domains[0] ?? '') : readDomain(domain, domains);
  return { name: wantedName, domain: wantedDomain };
}

export function metadataOf({ shortDesc, longDesc, image, address }: LinkSettings): Metadata {
  return { shortDesc, longDesc, image, address: address && addressText(address) };
}
