import type { Notice, Reply, Request } from './protocol.ts';

// What travels between a shared playground and its clients: JSON, one message a line.

/** From a client. The first one is `hello`. */
export type ToServer = { readonly type: 'hello'; readonly secret: string } | Request;

/** To a client. */
export type FromServer =
  | Reply
  | Notice
  /** After a right `hello`, and after every restart of the worker. `hub` is our node's public key: who this playground is. */
  | { readonly type: 'ready'; readonly hub: string }
  /** The last words before the connection is closed. */
  | { readonly type: 'rejected'; readonly message: string };

/** Either side says now and then that it is there. */
export interface Beat {
  readonly type: 'beat';
}

export type Message = ToServer | FromServer | Beat;

export const DEFAULT_PORT = 4022;
/** Before the secret. */
export const MAX_HELLO_BYTES = 4 * 2 ** 10;
export const MAX_REQUEST_BYTES = 2 ** 20;
/** 483 payments can wait at the door at once, and 256 events are read at once: a keysend with full records is less than 3 kB of either. */
export const MAX_ANSWER_BYTES = 4 * 2 ** 20;
export const BEAT_MS = 5_000;
