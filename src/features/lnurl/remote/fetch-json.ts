import { Refusal } from '../../../core/kernel/refusal.ts';
import { type Outbound, OutboundError } from '../../../core/outbound/outbound.ts';
import { brokenResponse } from './response.ts';

/**
 * Fetches the JSON of a URL of another service; of a callback if the domain that named it is given.
 * @throws Refusal. After `lnurl_unavailable` the request may have been executed; after any other nothing was sent.
 */
export type FetchJson = (url: string, callbackOf?: string) => Promise<unknown>;

/** LUD-06 allows an image of 136,536 characters in the metadata. Some services escape its slashes twice. */
const MAX_BYTES = 200_000;

export function createFetchJson(outbound: Pick<Outbound, 'getJson'>): FetchJson {
  return async (url, callbackOf) => {
    try {
      // LUD-01: the status has no meaning.
      return (await outbound.getJson(url, { maxBytes: MAX_BYTES })).body;
    } catch (error) {
      throw error instanceof OutboundError ? refusalOf(error, callbackOf) : error;
    }
  };
}

function refusalOf({ reason, message }: OutboundError, callbackOf: string | undefined): Refusal {
  switch (reason) {
    case 'invalid_url':
      if (callbackOf !== undefined) return brokenResponse(callbackOf, `has a \`callback\` that cannot be used. ${message}`);
      return new Refusal('lnurl_invalid', `${message} This request paid nothing.`);
    case 'busy':
      return new Refusal('rate_limited', `${message} This request paid nothing.`);
    case 'not_json':
    case 'timed_out':
    case 'no_valid_response':
      return new Refusal('lnurl_unavailable', `${message} This request paid nothing.`);
  }
}
