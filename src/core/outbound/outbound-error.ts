/**
 * Why a request failed, as far as its caller may know:
 * - `invalid_url`: the URL breaks a rule. The message names the rule; it follows from the URL and the settings alone.
 * - `busy`: too many requests are running. A POST request was not sent.
 * - `not_json`: the response is complete, but not JSON.
 * - `timed_out`: the time limit has ended. The message is that of `no_valid_response`.
 * - `no_valid_response`: everything else. It is the same for an unknown name, a private address, a closed port and a broken response, so
 *   users cannot explore the operator's network with it.
 */
export type OutboundReason = 'invalid_url' | 'busy' | 'not_json' | 'timed_out' | 'no_valid_response';

/** A failed request to another service. Its message is for users; the log has the exact cause. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function invalidUrl(rule: string): OutboundError {
  return new OutboundError('invalid_url', rule);
}
