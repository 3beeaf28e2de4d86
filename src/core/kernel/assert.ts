/** An invariant does not hold: a bug in Satchel, not an error of the client. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/** @throws InvariantViolation with the message unless the condition holds. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}
