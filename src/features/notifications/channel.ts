/** The names of the channels that send alerts to operators. */
export const CHANNEL_NAMES = ['email', 'telegram'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

/** A message to operators. Both are plain text. */
export interface AlertMessage {
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** A way to send messages to operators. */
export interface Channel {
  readonly name: ChannelName;
  /** Who gets the messages, for people. Not a secret. */
  readonly recipient: string;
  /**
   * Sends a message within a limited time.
   * @returns why some of the recipients did not get it; undefined if all did
   * @throws ChannelError
   */
  send(message: AlertMessage, signal: AbortSignal): Promise<string | undefined>;
}

/** A message was not sent. The message of the error is a sentence for operators, without secrets. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  /** How long the service of the channel asks to wait. */
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 0) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns a text of another service on one line, without control characters and secrets, and not longer than a limit. */
export function quotable(text: string, secrets: readonly string[], maxLength = 200): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, '…');
  return oneLine(safe, maxLength);
}

/** Control characters, line breaks, and characters that change the direction of the text. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a text on one line, without control characters, and not longer than a limit. */
export function oneLine(text: string, maxLength: number): string {
  const characters = Array.from(text.replaceAll(UNSAFE, ' ').trim());
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength - 1).join('')}…`;
}
