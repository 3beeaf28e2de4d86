import { floorSat, type Msat, minMsat } from '../../../core/kernel/money.ts';
import { encodeLnurl, InvalidLnurl } from '../../../core/lightning/bech32.ts';
import { protocolUri } from '../protocol-uri.ts';
import { SMALLEST_WITHDRAWAL } from './open-link.ts';
import { k1Of } from './withdraw-token.ts';

/** What only the creation of a link returns: its token, and the URLs that contain it. */
export interface LinkSecrets {
  readonly token: string;
  readonly url: string;
  /** `url` in bech32 (LUD-01), upper case. */
  readonly lnurl: string;
  /** `url` with the scheme of LUD-17; undefined if it is neither https nor an onion URL. */
  readonly uri: string | undefined;
  /** `url` with the parameters of step 1 (LUD-08), in bech32; undefined without a limit per claim, or if the URL is too long. */
  readonly fastLnurl: string | undefined;
}

/** `base` is the URL of step 1 without its query. */
export function linkSecrets(base: string, token: string, { maxMsat, memo }: { maxMsat: Msat | undefined; memo: string }): LinkSecrets {
  const amount = maxMsat === undefined ? '' : `&num_satoshis=${floorSat(maxMsat)}`;
  const url = `${base}?ott=${token}${amount}`;
  const fastLnurl = maxMsat === undefined ? undefined : fastLnurlOf(url, token, { maxMsat, memo });
  return { token, url, lnurl: encodeLnurl(url), uri: protocolUri('lnurlw', url), fastLnurl };
}

/**
 * The parameters are those of the link: its limit, not the balance of the wallet. Everything in them is in the link or derives from its
 * token.
 */
function fastLnurlOf(url: string, token: string, { maxMsat, memo }: { maxMsat: Msat; memo: string }): string | undefined {
  const query = new URLSearchParams({
    tag: 'withdrawRequest',
    k1: k1Of(token),
    minWithdrawable: String(minMsat(SMALLEST_WITHDRAWAL, maxMsat)),
    maxWithdrawable: String(maxMsat),
    defaultDescription: memo,
    callback: url,
  });
  try {
    // Not every wallet reads + as a space.
    return encodeLnurl(`${url}&${query.toString().replaceAll('+', '%20')}`);
  } catch (error) {
    if (error instanceof InvalidLnurl) return undefined;
    throw error;
  }
}
