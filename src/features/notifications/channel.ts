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
  /** The addresses or the chat that get the messages, as text for people. Not a secret. */
  readonly recipient: string;
  /**
   * Sends a message within a limited time.
   * @returns the reason why some recipients did not get it; undefined if all got it
   * @throws ChannelError
   */
  send(message: AlertMessage, signal: AbortSignal): Promise<string | undefined>;
}

/** An alert message was not sent. The message of this error is a sentence for operators, without secrets. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  /** The wait that the mail server or Telegram requests. */
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 0) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns a text of another service as one line of limited length, without control characters and secrets. */
export function quotable(text: string, secrets: readonly string[], maxLength = 200): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, '…');
  return oneLine(safe, maxLength);
}

/** Control characters, line breaks, and characters that change the direction of the text. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a text as one line of limited length, without control characters. */
export function oneLine(text: string, maxLength: number): string {
  const characters = Array.from(text.replaceAll(UNSAFE, ' ').trim());
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength - 1).join('')}…`;
}
