/**
 * An invoice, an address or a link that another screen hands to Send. It is neither in the address nor in the history, which browsers store: a
 * withdraw link is money.
 */
let handed = '';

/** Hands a text to the sheet that sends, which opens next. */
export function handToSend(text: string): void {
  handed = text;
}

/** Returns the text, once. */
export function takePastedText(): string {
  const text = handed;
  handed = '';
  return text;
}
