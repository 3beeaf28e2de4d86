import type { preValidationHookHandler, RouteOptions } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { fieldsOf, isStrict, type RouteSchema, ruleOf, shownName, shownPath } from '../field-schema.ts';
import { hasTooManyNames, MAX_NAMES } from './json-names.ts';
import { inexactNumber, inexactRefusal } from './json-numbers.ts';

/** Misspelled names that published clients send. `passTru` comes from LNPay's documentation. */
const BODY_ALIASES: ReadonlyMap<string, string> = new Map([['passTru', 'passThru']]);
export const QUERY_ALIASES: ReadonlyMap<string, string> = new Map([
  ['passTru', 'passThru'],
  ['Memo', 'memo'],
]);

/**
 * Converts the body and the query before validation: a string becomes an integer, a boolean or an object where the schema expects one, and
 * `null` and `""` become absent where the field may be empty. @throws Refusal naming the field.
 */
export function normalizeRequests(app: App): void {
  app.addHook('onRoute', (route) => {
    const { schema, config } = route;
    const bodyFields = schema?.body === undefined ? undefined : fieldsOf(schema.body);
    const queryFields = schema?.querystring === undefined ? undefined : fieldsOf(schema.querystring);
    addPreValidation(route, (request, _reply, done) => {
      rejectNul(request.params as Record<string, string>);
      if (bodyFields) request.body = normalizeFields(request.body ?? {}, bodyFields, BODY_ALIASES);
      else if (request.body !== undefined && !config?.undocumented) rejectBodyFields(request.body);
      if (queryFields) request.query = normalizeFields(nested(request.query ?? {}), queryFields, QUERY_ALIASES);
      done();
    });
  });
}

/** Adds a hook to the route alone: a hook of the server runs for every request and looks up the schema of its route each time. */
export function addPreValidation(route: RouteOptions, hook: preValidationHookHandler): void {
  route.preValidation = [...[route.preValidation ?? []].flat(), hook];
}

/** PostgreSQL has no NUL in text, so no id contains one. @throws Refusal */
function rejectNul(params: Readonly<Record<string, string>>): void {
  for (const name in params) if (params[name]?.includes('\0')) throw new Refusal('not_found');
}

/** @throws Refusal for a body field on a route that has no body. */
function rejectBodyFields(body: unknown): void {
  const [name] = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (name !== undefined)
    throw new Refusal('validation_failed', `${shownName(name)} is not a field of this request. It has no body fields.`);
}

/** `pass_through[order]=17` becomes `{pass_through: {order: '17'}}`. */
function nested(query: object): object {
  if (!Object.keys(query).some((name) => name.includes('['))) return query;
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(query)) {
    const [, outer, inner] = BRACKETS.exec(name) ?? [];
    if (outer === undefined || inner === undefined) fields[name] = value;
    else fields[outer] = Object.assign(Object.create(null), fields[outer], { [inner]: value });
  }
  return fields;
}

/** `name[key]` */
export const BRACKETS = /^([^[\]]+)\[([^[\]]+)\]$/;

function normalizeFields(
  input: object,
  properties: Readonly<Record<string, RouteSchema>>,
  aliases: ReadonlyMap<string, string>,
  path = '',
): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(input)) {
    const alias = aliases.get(key);
    const name = alias !== undefined && Object.hasOwn(properties, alias) ? alias : key;
    if (name !== key && Object.hasOwn(input, name))
      throw new Refusal('validation_failed', `${shownPath(path, name)} must be sent once, not also as ${shownName(key)}.`);
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    // Unknown names are kept, so that validation rejects them.
    const normalized = field ? normalizeValue(name, value, field, path) : value;
    if (normalized !== undefined) fields[name] = normalized;
  }
  return fields;
}

function normalizeValue(name: string, value: unknown, field: RouteSchema, path: string): unknown {
  if (value === null || value === '') {
    if (field.clearable) return '';
    if (!isStrict(field)) return undefined;
    throw new Refusal('validation_failed', `${shownPath(path, name)} ${ruleOf(field)}, not null or empty. Leave it out to send none.`);
  }
  if (field.type === 'integer') {
    const integer = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
    return field.zeroIsAbsent && integer === 0 ? undefined : integer;
  }
  // Forms have only strings.
  if (field.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (field.type === 'object' && typeof value === 'string') return parseObject(shownPath(path, name), value, field);
  if (field.type === 'array' && typeof value === 'string' && field.items?.type !== 'object')
    return value.split(',').map((item) => item.trim());
  if (field.type === 'array' && Array.isArray(value)) return normalizeItems(name, value, field);
  return value;
}

/** Normalizes the objects of a list. Other items are kept, so that validation rejects them. */
function normalizeItems(name: string, items: readonly unknown[], { items: schema }: RouteSchema): unknown {
  if (schema?.type !== 'object') return items;
  const fields = fieldsOf(schema);
  const isObject = (item: unknown) => typeof item === 'object' && item !== null && !Array.isArray(item);
  return items.map((item, index) => (isObject(item) ? normalizeFields(item as object, fields, BODY_ALIASES, `${name}[${index}].`) : item));
}

/** Every object has a limit of 4 kB or less. As JSON text with spaces and escapes it needs more characters. */
const MAX_OBJECT_TEXT = 16_384;

function parseObject(shown: string, text: string, field: RouteSchema): unknown {
  if (text.length > MAX_OBJECT_TEXT || hasTooManyNames(text))
    throw new Refusal(
      'validation_failed',
      `${shown} must be at most ${MAX_OBJECT_TEXT} characters of JSON with at most ${MAX_NAMES} names.`,
    );
  let object: unknown;
  try {
    object = JSON.parse(text, rejectPrototype);
  } catch {
    throw new Refusal('validation_failed', `${shown} ${ruleOf(field)}.`);
  }
  const inexact = inexactNumber(text);
  if (inexact !== undefined) throw inexactRefusal(`${shown.replaceAll('`', '')}.${inexact}`);
  return object;
}

/** Same rule as in a JSON body. */
function rejectPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('__proto__ is not allowed');
  return value;
}
