/** A broken invariant: a bug in Satchel, never the caller's fault. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/** States what must hold; throws {@link InvariantViolation} with the message where it does not. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}
