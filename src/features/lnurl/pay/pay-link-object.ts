import { type Static, Type } from 'typebox';
import { encodeLnurl } from '../../../core/lightning/bech32.ts';
import { anyObject, namedObject, nullable, oneOf } from '../../../http/responses/response-types.ts';
import { selectable } from '../../../http/responses/select.ts';
import { linkStatus, protocolUri, renderLinkStatus } from '../lnurl.ts';
import { imageIn } from './link-settings.ts';
import type { PayLink } from './pay-links.ts';
import { payLinkUrl, payPageUrl } from './pay-requests.ts';

export const PayLinkObject = selectable(
  namedObject('PayLink', {
    id: Type.String({ description: 'The id of the pay link, `lnurlp_…`' }),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    updated_at: Type.Integer({ description: 'Unix seconds' }),
    wallet_id: Type.String({ description: 'The wallet that is paid, `wal_…`' }),
    user_label: Type.String({ description: 'The label that the caller gave the link. Payers do not see it' }),
    lnurl_encoded: Type.String({ description: 'The link as an LNURL (LUD-01), in upper case' }),
    lnurl_decoded: Type.String({ description: 'The address that the LNURL encodes' }),
    url: Type.String({ description: 'The same address' }),
    lnurlp_uri: nullable(Type.String({ description: 'The same with `lnurlp:` (LUD-17); null for http' })),
    page_url: Type.String({ description: 'The page for payers who open the link in a browser' }),
    ln_address: nullable(Type.String({ description: 'The Lightning address, `name@domain`; null when it has none' })),
    lnurlp_minSendable_msat: Type.Integer({ description: 'The smallest payment in millisatoshis' }),
    lnurlp_maxSendable_msat: Type.Integer({ description: 'The largest payment in millisatoshis' }),
    currency: nullable(
      Type.String({ description: 'The ISO 4217 code of the currency of `min_amount` and `max_amount`; null for limits in millisatoshis' }),
    ),
    min_amount: nullable(Type.String({ description: 'The smallest payment in `currency`, as text. It replaces the one in millisatoshis' })),
    max_amount: nullable(Type.String({ description: 'The largest payment in `currency`, as text. It replaces the one in millisatoshis' })),
    lnurlp_short_desc: Type.String({ description: 'What payers read before they pay' }),
    lnurlp_long_desc: nullable(Type.String({ description: 'A longer text for payers; null when there is none' })),
    lnurlp_image: nullable(
      Type.String({ description: 'The image that payers see, PNG or JPEG in base64; null when there is none, and in lists' }),
    ),
    lnurlp_commentAllowed: Type.Integer({ description: "The maximum length of a payer's comment, in characters; 0: none" }),
    lnurlp_payerData: nullable(anyObject('Which data payers may or must send; null when there is none')),
    lnurlp_successAction: nullable(anyObject('What payers see after they have paid; null when there is nothing, and for public keys')),
    lnurlp_identifier: nullable(Type.String({ description: 'The name of the Lightning address; null when it has none' })),
    lnurlp_domain: nullable(Type.String({ description: 'The domain of the Lightning address; null when it has none' })),
    nostr_pubkey: nullable(Type.String({ description: 'The Nostr public key of the owner (NIP-05), in hex; null when there is none' })),
    passThru: nullable(anyObject('The JSON object that each payment of the link gets; null when there is none, and for public keys')),
    payments: nullable(Type.Integer({ description: 'How many invoices of the link were paid; null for public keys' })),
    received_msat: nullable(
      Type.Integer({ description: 'The millisatoshis that arrived for them, before fees of the service; null for public keys' }),
    ),
    last_paid_at: nullable(
      Type.Integer({ description: 'When the latest of them was paid, in Unix seconds; null when none was, and for public keys' }),
    ),
    status: oneOf(['active', 'inactive'], { description: '`inactive`: the link cannot be paid' }),
    statusType: linkStatus('The same as `status`, for clients of LNPay', '`lnurl_inactive`: the link cannot be paid'),
  }),
);

/** The sums over the links of a list. */
export const PayLinkTotalObject = namedObject('PayLinkTotal', {
  links: Type.Integer({ description: 'The number of links' }),
  payments: Type.Integer({ description: 'How many invoices of these links were paid' }),
  received_msat: Type.Integer({ description: 'The millisatoshis that arrived for them, before fees of the service' }),
  last_paid_at: nullable(Type.Integer({ description: 'When the latest of them was paid, in Unix seconds; null when none was' })),
});

export function renderPayLink(link: PayLink, publicUrl: string): Static<typeof PayLinkObject> {
  const url = payLinkUrl(publicUrl, link);
  return {
    id: link.id,
    created_at: link.created_at,
    updated_at: link.updated_at,
    wallet_id: link.wallet_id,
    user_label: link.user_label,
    lnurl_encoded: encodeLnurl(url),
    lnurl_decoded: url,
    url,
    lnurlp_uri: protocolUri('lnurlp', url) ?? null,
    page_url: payPageUrl(publicUrl, link),
    ln_address: link.name === null ? null : `${link.name}@${link.domain}`,
    lnurlp_minSendable_msat: link.min_msat,
    lnurlp_maxSendable_msat: link.max_msat,
    currency: link.currency,
    min_amount: link.min_amount,
    max_amount: link.max_amount,
    lnurlp_short_desc: link.short_desc,
    lnurlp_long_desc: link.long_desc,
    lnurlp_image: (link.metadata && imageIn(link.metadata)?.[1]) ?? null,
    lnurlp_commentAllowed: link.comment_length,
    lnurlp_payerData: parsed(link.payer_data),
    lnurlp_successAction: parsed(link.success_action),
    lnurlp_identifier: link.name,
    lnurlp_domain: link.domain,
    nostr_pubkey: link.nostr_pubkey,
    passThru: parsed(link.pass_thru),
    payments: link.payments,
    received_msat: link.received_msat,
    last_paid_at: link.last_paid_at,
    status: link.state,
    statusType: renderLinkStatus(link.state === 'active'),
  };
}

function parsed(json: string | null): object | null {
  return json === null ? null : JSON.parse(json);
}
