/** One line of `satchel doctor`. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
  /** What to do next; null if nothing. */
  readonly remedy: string | null;
}

export function ok(subject: string, text: string): Finding {
  return { status: 'ok', subject, text, remedy: null };
}

/** Something works, and should be changed. */
export function warn(subject: string, text: string, remedy: string): Finding {
  return { status: 'warn', subject, text, remedy };
}

/** Something does not work, or money or secrets are at risk. */
export function fail(subject: string, text: string, remedy: string): Finding {
  return { status: 'fail', subject, text, remedy };
}
