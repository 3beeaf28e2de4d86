import { errorMessage } from '../../kernel/log.ts';
import { ResponseLost } from './errors.ts';

/** Sends requests to lightningd, one at a time per connection. */
export interface ClnTransport {
  /**
   * Calls a method and returns its result.
   * @throws RpcError when lightningd returns an error.
   * @throws NodeUnavailable when the request certainly did not reach lightningd.
   * @throws ResponseLost when lightningd may have executed the request.
   */
  call(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** Closes the connections that no call uses. */
  close?(): void;
}

/** A longer response is not read. */
export const MAX_RESPONSE_BYTES = 256 * 2 ** 20;

/** Returns why a call failed: the reason of its signal, if that has aborted. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  return errorMessage(signal.aborted ? signal.reason : error);
}

/** TypeScript does not declare the third argument yet. Source: the JavaScript proposal "JSON.parse source text access". */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Parses a response. An integer that a number cannot represent exactly, such as `groupid`, becomes the text of its digits.
 * @throws ResponseLost
 */
export function parseJson(text: string): unknown {
  const reviver: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
  try {
    return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
  } catch {
    throw new ResponseLost('the response of lightningd is not JSON');
  }
}
