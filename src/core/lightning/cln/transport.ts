/** Sends requests to lightningd, one at a time per connection. */
export interface ClnTransport {
  /**
   * Calls a method and returns its result.
   * @throws RpcError when lightningd returns an error.
   * @throws NodeUnavailable when the request certainly did not reach lightningd.
   * @throws ResponseLost when lightningd may have executed the request.
   */
  call(method: string, params: object, limits: CallLimits): Promise<unknown>;
  /** Breaks all connections. Later calls throw NodeUnavailable. */
  close(): void;
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A longer response is not read. */
export const MAX_RESPONSE_BYTES = 256 * 2 ** 20;
