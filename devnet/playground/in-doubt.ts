/** The connection to the playground, or the playground itself, broke before the answer: nobody knows whether the command was carried out. */
export class OutcomeUnknown extends Error {
  override readonly name = 'InDoubt';
}
