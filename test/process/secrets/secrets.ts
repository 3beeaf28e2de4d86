import type { RecordedResponse } from './recorder.ts';

interface Secret {
  readonly name: string;
  readonly value: string;
  /** The responses that may contain it. */
  readonly mayShow: (response: RecordedResponse) => boolean;
}

/** Matches every secret key by its prefix and random part. */
const KEY_LIKE = /\b(?:sak|waka?|waki|wi|wakr|wr)_[0-9A-Za-z]{20,}/g;

/** The secrets that a run has created. Finds them in texts. */
export class Secrets {
  readonly #known: Secret[] = [];

  /** `value` is the text that must not appear: a key without its prefix, so that it is found with every prefix. */
  learn(name: string, text: string, mayShow: (response: RecordedResponse) => boolean = () => false): void {
    const value = /^[a-z]+_(.+)$/.exec(text)?.[1] ?? text;
    if (value.length < 16) throw new Error(`${name} is too short to look for`);
    this.#known.push({ name, value, mayShow });
  }

  get names(): string[] {
    return this.#known.map(({ name }) => name);
  }

  /** Returns the names of the secrets in a text or in bytes, in any encoding. */
  foundIn(place: string | Buffer): string[] {
    const found = this.#known.filter(({ value }) => formsOf(value).some((form) => place.includes(form))).map(({ name }) => name);
    const unknown = typeof place === 'string' && found.length === 0 ? (place.match(KEY_LIKE) ?? []) : [];
    return [...found, ...unknown.map((text) => `something like a key: ${text.slice(0, 8)}…`)];
  }

  /** Returns the secrets in a response that is not the one that created them. */
  foundInResponse(response: RecordedResponse): string[] {
    const hidden = this.#known.filter(({ mayShow }) => !mayShow(response));
    return hidden.filter(({ value }) => formsOf(value).some((form) => response.text.includes(form))).map(({ name }) => name);
  }
}

/** Returns the text itself, its hex and its base64, at any offset within the base64 of a longer text. */
function formsOf(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + value).toString('base64');
    return encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor(encoded.length / 4) * 4 - 4);
  });
  return [value, hex, hex.toUpperCase(), ...base64];
}
