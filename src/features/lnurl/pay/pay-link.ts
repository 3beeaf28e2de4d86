import { msat } from '../../../core/kernel/money.ts';
import { encodeLnurl } from '../../../core/lightning/bech32.ts';
import { protocolUri } from '../protocol-uri.ts';
import { addressText } from './address.ts';
import type { LinkSettings } from './link-settings.ts';
import { imageIn } from './metadata.ts';
import type { PayLinkRow, WholePayLinkRow } from './pay-links.sql.ts';
import type { PayerDataRequest } from './payer-data.ts';
import type { SuccessAction } from './success-action.ts';

/** A link or an address through which others pay a wallet (LUD-06, LUD-16), without its image. */
export interface PayLink extends Omit<LinkSettings, 'image'> {
  readonly id: string;
  readonly walletId: string;
  readonly accountId: string;
  /** The URL of both steps of LUD-06. */
  readonly url: string;
  /** `url` in bech32 (LUD-01), upper case. */
  readonly lnurl: string;
  /** The URL with the scheme of LUD-17; undefined if it is neither https nor an onion URL. */
  readonly uri: string | undefined;
  /** `name@domain` */
  readonly lnAddress: string | undefined;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WholePayLink extends PayLink {
  readonly image: LinkSettings['image'];
}

/** `publicUrl` is the URL of the service, never the host of a request. */
export function payLinkUrl(publicUrl: string, { public_key, id }: Pick<PayLinkRow, 'public_key' | 'id'>): string {
  return `${publicUrl}/v1/wallet/${public_key}/lnurlp/${id}`;
}

export function rowToPayLink(row: PayLinkRow, publicUrl: string): PayLink {
  const url = payLinkUrl(publicUrl, row);
  const address = row.name === null || row.domain === null ? undefined : { name: row.name, domain: row.domain };
  return {
    id: row.id,
    walletId: row.wallet_id,
    accountId: row.account_id,
    url,
    lnurl: encodeLnurl(url),
    uri: protocolUri('lnurlp', url),
    lnAddress: address && addressText(address),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    status: row.state,
    userLabel: row.user_label,
    shortDesc: row.short_desc,
    longDesc: row.long_desc ?? undefined,
    minMsat: msat(row.min_msat),
    maxMsat: msat(row.max_msat),
    commentLength: row.comment_length,
    payerData: payerDataRequestOf(row),
    successAction: row.success_action === null ? undefined : (JSON.parse(row.success_action) as SuccessAction),
    passThru: row.pass_thru ?? undefined,
    address,
  };
}

export function rowToWholePayLink(row: WholePayLinkRow, publicUrl: string): WholePayLink {
  return { ...rowToPayLink(row, publicUrl), image: imageIn(row.metadata) };
}

export function payerDataRequestOf({ payer_data }: PayLinkRow): PayerDataRequest | undefined {
  return payer_data === null ? undefined : (JSON.parse(payer_data) as PayerDataRequest);
}
