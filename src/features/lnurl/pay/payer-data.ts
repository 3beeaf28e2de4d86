import { isJsonObject, parseJson } from '../../../core/kernel/json.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { isPublicKey } from '../../../core/kernel/secp256k1.ts';

/*
 * What payers may or must state about themselves (LUD-18). `auth` is not offered: its signature proves nothing without a challenge that is
 * stored per visitor.
 */

const KINDS = ['name', 'email', 'identifier', 'pubkey'] as const;
type Kind = (typeof KINDS)[number];

/** The kinds of data that a link accepts. */
export type PayerDataRequest = Partial<Record<Kind, { readonly mandatory: boolean }>>;

/** What a payer has sent. */
export interface PayerData {
  /** As received: the invoice commits to it. */
  readonly text: string;
  /** The values that the link accepts. */
  readonly values: Partial<Record<Kind, string>>;
}

/** Reads the field of a pay link; undefined for an empty object. @throws Refusal */
export function readPayerDataRequest(value: object): PayerDataRequest | undefined {
  const entries = Object.entries(value);
  if (!entries.every(([kind, rule]) => (KINDS as readonly string[]).includes(kind) && isRule(rule)))
    throw new Refusal(
      'validation_failed',
      `\`lnurlp_payerData\` must have the keys ${KINDS.join(', ')}, each with {"mandatory": true} or {"mandatory": false}.`,
    );
  return entries.length === 0 ? undefined : value;
}

function isRule(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).join() === 'mandatory' && typeof value.mandatory === 'boolean';
}

export const MAX_PAYER_DATA_BYTES = 1000;

const FORMS: Readonly<Record<Kind, (text: string) => boolean>> = {
  name: (text) => text.trim() !== '',
  email: isAddress,
  identifier: isAddress,
  pubkey: isPublicKey,
};

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/**
 * Reads the data of a payer. A link that asks for none ignores it, as LUD-18 requires.
 * @throws Refusal if mandatory data is missing or a value is invalid.
 */
export function readPayerData(request: PayerDataRequest | undefined, text: string | undefined): PayerData | undefined {
  if (!request) return undefined;
  const sent = text === undefined ? {} : readObject(text);
  const values: PayerData['values'] = {};
  for (const kind of KINDS) {
    const rule = request[kind];
    const value = rule && Object.hasOwn(sent, kind) ? sent[kind] : undefined;
    if (value === undefined || value === null) {
      if (rule?.mandatory) throw new Refusal('validation_failed', `Payer data must contain ${kind}.`);
      continue;
    }
    if (typeof value !== 'string' || !FORMS[kind](value)) throw new Refusal('validation_failed', `Payer data: ${kind} is not valid.`);
    values[kind] = value;
  }
  return text === undefined ? undefined : { text, values };
}

function readObject(text: string): Record<string, unknown> {
  const invalid = new Refusal(
    'validation_failed',
    `\`payerdata\` must be a JSON object without control characters, of at most ${MAX_PAYER_DATA_BYTES} bytes.`,
  );
  if (!isPlain(text) || Buffer.byteLength(text) > MAX_PAYER_DATA_BYTES) throw invalid;
  const value = parseJson(text);
  if (!isJsonObject(value)) throw invalid;
  for (const one of Object.values(value)) if (typeof one === 'string' && !isPlain(one)) throw invalid;
  return value;
}

/** Returns whether a text has neither control characters nor halves of characters. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
