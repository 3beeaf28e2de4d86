/** The playground cannot do what was asked; the message says why, in words for the person who asked. Nothing was done. */
export class PlaygroundRefusal extends Error {
  override readonly name = 'PlaygroundRefusal';
}
