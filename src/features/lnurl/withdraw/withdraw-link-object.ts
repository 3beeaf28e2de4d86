import { type Static, Type } from 'typebox';
import { floorSat, msat } from '../../../core/kernel/money.ts';
import { FIAT_RESULT, fiatFields } from '../../../http/amounts.ts';
import { anyObject, namedObject, nullable, oneOf } from '../../../http/responses/response-types.ts';
import { linkStatus, renderLinkStatus } from '../lnurl.ts';
import type { WithdrawLink } from './withdraw-links.ts';

/** A withdraw link without its token. */
export const WithdrawLinkObject = namedObject('WithdrawLink', {
  id: Type.String({ description: 'The id of the link, `lnurlw_…`' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  wallet_id: Type.String({ description: 'The wallet that pays, `wal_…`' }),
  user_label: Type.String({ description: 'The label that the caller gave the link, for the owner' }),
  memo: Type.String({ description: 'The description that the claiming wallet shows' }),
  num_satoshis: nullable(Type.Integer({ description: 'The most that one claim can withdraw, in whole satoshis; null: the balance' })),
  num_msat: nullable(Type.Integer({ description: 'The same in millisatoshis, exact' })),
  ...FIAT_RESULT,
  fee_limit_msat: nullable(
    Type.Integer({
      description:
        'The most that routing of one claim may cost, in millisatoshis, in addition to the amount; null: 1 % of the amount, at least 1000',
    }),
  ),
  uses: nullable(Type.Integer({ description: 'How often the link can be claimed; null for a permanent link' })),
  uses_left: nullable(
    Type.Integer({ description: 'How often it can still be claimed; null for a permanent link. A failed claim returns its use' }),
  ),
  claims: Type.Integer({ description: 'The number of claims that are in flight or were paid' }),
  claimed_msat: Type.Integer({ description: 'The millisatoshis that were paid to claimers, without routing fees' }),
  last_claimed_at: nullable(
    Type.Integer({ description: 'When the latest claim that was paid was made, in Unix seconds; null when none was paid' }),
  ),
  pending_msat: Type.Integer({ description: 'The millisatoshis reserved for claims in flight: amounts and fee limits' }),
  daily_limit_msat: nullable(
    Type.Integer({ description: 'The millisatoshis that the claims of one day (UTC) may cost, with routing fees; null: no limit' }),
  ),
  daily_spent_msat: Type.Integer({ description: 'The millisatoshis that the claims of today (UTC) cost, with routing fees' }),
  daily_pending_msat: Type.Integer({ description: 'The millisatoshis reserved for claims of today in flight: amounts and fee limits' }),
  expires_at: nullable(Type.Integer({ description: 'Unix seconds; null when the link does not expire' })),
  revoked_at: nullable(Type.Integer({ description: 'Unix seconds; null when the link is not revoked' })),
  status: oneOf(['active', 'inactive'], {
    description: '`inactive`: it is used up, expired or revoked, or the key that made it is no longer valid',
  }),
  statusType: linkStatus(
    'The same as `status`, for clients of LNPay',
    '`lnurl_inactive`: it is used up, expired or revoked, or the key that made it is no longer valid',
  ),
  passThru: anyObject('The `passThru` that the caller gave the link. Its transactions have it too, and the id of the link as `lnurlw_id`'),
});

export const NewWithdrawLinkObject = namedObject('NewWithdrawLink', {
  ...WithdrawLinkObject.properties,
  lnurl: Type.String({ description: 'The link as an LNURL (LUD-01), in upper case' }),
  ott: Type.String({ description: 'The token of the link. Only this response contains it' }),
  url: Type.String({ description: 'The address that the LNURL encodes' }),
  lnurlw_uri: nullable(Type.String({ description: 'The same with `lnurlw:` (LUD-17); null for http' })),
  lnurl_fast: nullable(
    Type.String({
      description:
        'The link with the parameters of step 1 as an LNURL (LUD-08), which saves a request. For links between apps; too long for QR codes. ' +
        'Null without `num_satoshis`, or when it would be longer than an LNURL can be',
    }),
  ),
});

/** The sums over the links of a list. */
export const WithdrawLinkTotalObject = namedObject('WithdrawLinkTotal', {
  links: Type.Integer({ description: 'The number of links' }),
  claimed_msat: Type.Integer({ description: 'The millisatoshis that were paid to their claimers, without routing fees' }),
  last_claimed_at: nullable(
    Type.Integer({ description: 'When the latest claim that was paid was made, in Unix seconds; null when none was paid' }),
  ),
});

export function renderWithdrawLink({
  max_msat,
  pass_thru,
  fiat,
  isActive,
  made_by: _maker,
  public_key: _key,
  ...link
}: WithdrawLink): Static<typeof WithdrawLinkObject> {
  return {
    ...link,
    num_satoshis: max_msat === null ? null : floorSat(msat(max_msat)),
    num_msat: max_msat,
    ...fiatFields(fiat),
    status: isActive ? ('active' as const) : ('inactive' as const),
    statusType: renderLinkStatus(isActive),
    passThru: JSON.parse(pass_thru ?? '{}'),
  };
}
