/** A message of `text/event-stream`. */
export interface EventMessage {
  readonly id: string | undefined;
  readonly event: string;
  /** Empty for a message that has only an id. */
  readonly data: string;
}

export interface EventParser {
  readonly retryMs: number | undefined;
  /** Returns the messages that this piece has completed. */
  push(text: string): EventMessage[];
}

export function createEventParser(): EventParser;
