import type { JsonSchema } from './openapi/openapi-types.ts';

/** A schema of a route: JSON Schema, and the keywords of the validator, the serializer and this service. */
export interface RouteSchema extends JsonSchema {
  readonly nullable?: boolean;
  /** Of a record, whose keys may be any text. */
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  /** See `oneOf` in response-types.ts. */
  readonly words?: readonly unknown[];
  /** The serializer accepts null, but the value is never null. */
  readonly neverNull?: boolean;
  /** 0 counts as absent: published clients send it. */
  readonly zeroIsAbsent?: boolean;
  /**
   * Whether null and "" count as absent. The default is true, except for integers: these are amounts, limits and times, and a program
   * that failed to compute one sends null, because JSON has no NaN.
   */
  readonly mayBeEmpty?: boolean;
  /** null and "" clear the stored text. */
  readonly clearable?: boolean;
  /** What an integer counts, in the plural: `satoshis`. */
  readonly unit?: string;
  /** The rule of a `pattern` in words, after "must be". */
  readonly rule?: string;
}

/** The keywords that the validator ignores, and that the API's description leaves out. */
export const OWN_KEYWORDS: readonly string[] = ['neverNull', 'zeroIsAbsent', 'mayBeEmpty', 'clearable', 'unit', 'rule'];

/** The declared fields of a body, a query or a path. */
export function fieldsOf(schema: unknown): Readonly<Record<string, RouteSchema>> {
  return (schema as { properties?: Record<string, RouteSchema> } | undefined)?.properties ?? {};
}

export function isStrict(field: RouteSchema): boolean {
  return !(field.mayBeEmpty ?? field.type !== 'integer');
}

/** Above this, an upper limit is the largest number that the ledger holds, and not a rule of the field. */
const HUGE = 1_000_000_000_000;

/** States what a value of the field must be: "must be a whole number of seconds, from 60 to 31536000". */
export function ruleOf(field: RouteSchema): string {
  const { rule, type, maxLength } = field;
  if (field.enum) return `must be one of ${field.enum.join(', ')}`;
  if (rule !== undefined) return `must be ${rule}`;
  if (type === 'integer') return `must be a whole number${field.unit === undefined ? '' : ` of ${field.unit}`}${range(field)}`;
  if (type === 'boolean') return 'must be true or false';
  if (type === 'object') return 'must be an object, or the JSON text of one';
  return maxLength === undefined ? 'must be a text' : `must be a text of at most ${maxLength} characters`;
}

function range({ minimum, maximum = HUGE, zeroIsAbsent }: RouteSchema): string {
  if (minimum === undefined) return '';
  if (zeroIsAbsent && minimum === 1) return ', 0 or more';
  const span = maximum < HUGE ? `from ${minimum} to ${maximum}` : `${minimum} or more`;
  return `, ${span}${zeroIsAbsent ? ' (0: the default)' : ''}`;
}

/** No field has a name that long, but every key and token is longer: a secret that was sent in the wrong place is not repeated. */
const LONGEST_NAME = 23;

/** A name as error messages show it. */
export function shownName(name: string): string {
  return `\`${JSON.stringify(name.length > LONGEST_NAME ? `${name.slice(0, 8)}…` : name).slice(1, -1)}\``;
}

/** The name of a field in an item of a list: "`lines[17].memo`". `path` is the part before the name. */
export function shownPath(path: string, name: string): string {
  return `\`${path}${shownName(name).slice(1)}`;
}

/** Names for people: "`a`, `b`". */
export function shownNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
