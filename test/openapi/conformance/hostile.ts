import type { JsonSchema } from '../../../src/http/openapi/openapi-types.ts';
import type { Field, Values, Walked } from './operations.ts';

/** A request that is invalid in one place. */
export interface Hostile {
  readonly what: string;
  readonly values: Values;
  /** Whether the document forbids it, so that it must be rejected. Otherwise it must only do no harm. */
  readonly forbidden: boolean;
}

const TEXTS = [
  "' OR '1'='1",
  '<script>alert(1)</script>',
  '../../../etc/passwd',
  '%00%0d%0aSet-Cookie: a=b',
  '__proto__',
  '9'.repeat(400),
  '\u202e\u0000\ufeff\u{1f9e1}',
  'é'.repeat(600),
  'x'.repeat(9000),
];

/** Values that can trouble a database: numbers beyond its integers, and text that it cannot store, compare or put into a query. */
const ODD_FOR_DATABASE = [1e21, 2 ** 53, "' OR '1'='1", '\u202e\u0000\ufeff\u{1f9e1}', 'x'.repeat(9000), '\ud800'];

const ODD_VALUES = [null, '', 0, '0', -0, '007', 1e21, 2 ** 53, '١٢', ...TEXTS, '\ud800', [null], { a: { b: { c: {} } } }];

const ODD_FOR_SHARED = 5;

/** Returns requests of this operation that violate its schemas, each in one place. */
export function hostileRequests(walked: Walked, good: Values): Hostile[] {
  return requests(walked, good, ODD_VALUES);
}

/** Returns those that validation lets through to the database, with the values that can trouble one. */
export function hostileToDatabase(walked: Walked, good: Values): Hostile[] {
  return requests(walked, good, ODD_FOR_DATABASE).filter(({ forbidden }) => !forbidden);
}

function requests(walked: Walked, good: Values, odd: readonly unknown[]): Hostile[] {
  const body = walked.fields.some(({ in: place }) => place === 'body');
  return [
    ...walked.fields.flatMap((field) => ofField(field, good, odd)),
    ...(body ? [{ what: 'a field too many', values: withValue(good, 'body', 'surplus', 1), forbidden: true }] : []),
    { what: 'a parameter too many', values: withValue(good, 'query', 'surplus', "' OR 1=1"), forbidden: false },
  ];
}

function ofField(field: Field, good: Values, oddValues: readonly unknown[]): Hostile[] {
  const { name, in: place } = field;
  const isText = place !== 'body';
  const request = (value: unknown, forbidden: boolean): Hostile => ({
    what: `${place} ${name} = ${JSON.stringify(value)?.slice(0, 60)}`,
    values: withValue(good, place, name, value),
    forbidden,
  });
  const wrong = isText ? wrongTexts(field) : wrongValues(field.schema);
  const sendables = isText ? oddValues.filter((value): value is string => sendable(value, place)) : oddValues;
  const odd = field.shared ? sendables.slice(-ODD_FOR_SHARED) : sendables;
  // A path without one of its parts is a different path.
  const missing = field.required && place !== 'path' ? [request(undefined, true)] : [];
  return [...missing, ...wrong.map((value) => request(value, true)), ...odd.map((value) => request(value, false))];
}

/** Returns whether a URL or a header can contain the value. */
function sendable(value: unknown, place: Field['in']): boolean {
  if (typeof value !== 'string' || !value.isWellFormed()) return false;
  return place === 'header' ? /^[\x20-\x7e]+$/.test(value) : value !== '' || place !== 'path';
}

/** Values of a body that its schema forbids. */
function wrongValues(schema: JsonSchema): unknown[] {
  const types = [schema.type].flat();
  const bounds = [
    // Zero may count as an absent value.
    ...(schema.minimum !== undefined && schema.minimum !== 1 ? [schema.minimum - 1] : []),
    ...(schema.maximum === undefined ? [] : [schema.maximum + 1]),
    ...(schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)]),
    ...(schema.pattern === undefined ? [] : ['not of the pattern']),
  ];
  if (schema.enum) return [...bounds, 'none of these', 1, {}];
  if (types.includes('integer')) return [...bounds, true, 1.5, -1, 'abc', '1.0', '-1', '+1', '1e3', ' 1', [], {}, [1]];
  if (types.includes('boolean')) return [...bounds, 'perhaps', 1, []];
  if (types.includes('string')) return [...bounds, true, 1, [], {}, ['a']];
  if (types.includes('object')) return [...bounds, true, 1, [], 'no json', '[1]', '"text"'];
  return bounds;
}

function wrongTexts({ in: place, schema }: Field): string[] {
  if (place === 'header') return schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)];
  return wrongValues(schema)
    .filter((value) => typeof value !== 'object' && !(typeof value === 'boolean' && schema.type === 'string'))
    .filter((value) => !([schema.type].flat().includes('string') && typeof value === 'number' && schema.enum === undefined))
    .map(String)
    .filter((value) => !(schema.type === 'boolean' && value === '1'));
}

function withValue(values: Values, place: Field['in'], name: string, value: unknown): Values {
  const { [name]: _, ...others } = values[place];
  return { ...values, [place]: value === undefined ? others : { ...others, [name]: value } };
}
