import type { FastifyRequest } from 'fastify';
import qs from 'qs';
import { Refusal } from '../kernel/refusal.ts';
import type { App } from './app-type.ts';

/** Bytes of a request body. */
export const BODY_LIMIT = 64 * 1024;
const FORM_FIELDS = 100;
const FORM_DEPTH = 5;

/** Reads JSON, and forms also when no Content-Type is sent; an empty body is `{}`. */
export function readBodies(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body.trim() === '') return done(null, {});
    parseJson(request, body, (error, value) => {
      if (error) done(new Refusal('malformed_body', 'The body is not valid JSON.'));
      else if (typeof value !== 'object' || value === null || Array.isArray(value))
        done(new Refusal('malformed_body', 'The body must be a JSON object.'));
      else done(null, value);
    });
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async (_request: FastifyRequest, body: string) =>
    parseForm(body),
  );
  app.addContentTypeParser('*', { parseAs: 'string' }, async (request: FastifyRequest, body: string) => {
    if (request.headers['content-type'] === undefined) return parseForm(body);
    throw new Refusal('unsupported_media_type');
  });
}

const QS_OPTIONS = {
  depth: FORM_DEPTH,
  strictDepth: true,
  parameterLimit: FORM_FIELDS,
  throwOnLimitExceeded: true,
  // The number in custom_records[696969] is a name; qs would take it for a place in a list.
  parseArrays: false,
  // Otherwise qs drops fields with the names of an object's methods.
  plainObjects: true,
} as const;

/** Bracket notation nests: `passThru[ticketId]=23`. @throws Refusal */
function parseForm(body: string): unknown {
  // qs drops these as well; nothing that was sent may be dropped.
  const hasPrototype = [...new URLSearchParams(body).keys()].some((key) => key.includes('__proto__'));
  if (hasPrototype) throw new Refusal('malformed_body', 'No field of a form may be called __proto__.');
  try {
    return qs.parse(body, QS_OPTIONS);
  } catch {
    throw new Refusal('malformed_body', `The form has more than ${FORM_FIELDS} fields, or is nested deeper than ${FORM_DEPTH}.`);
  }
}

interface FieldSchema {
  readonly type?: string;
  readonly zeroIsAbsent?: boolean;
}

/**
 * Brings what clients really send to what the schemas say, before validation: `null` and `""` are absent, a text is an integer, a
 * boolean or an object where one is expected and the text is one.
 */
export function normalize(request: FastifyRequest): void {
  // PostgreSQL has no NUL in a text, so nothing is called that.
  for (const part of Object.values(request.params as Record<string, string>)) if (part.includes('\0')) throw new Refusal('not_found');
  const schema = request.routeOptions.schema;
  if (schema?.body) {
    request.body = normalizeFields(request.body ?? {}, schema.body);
  }
  if (schema?.querystring) request.query = normalizeFields(request.query ?? {}, schema.querystring);
}

function normalizeFields(input: unknown, schema: unknown): Record<string, unknown> {
  const properties = ((schema as { properties?: Record<string, FieldSchema> }).properties ?? {}) as Record<string, FieldSchema>;
  const fields: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(input as object)) {
    // The old documentation's own typo, which clients copied.
    const name = key === 'passTru' ? 'passThru' : key;
    if (value === null || value === '') continue;
    const normalized = normalizeValue(name, value, Object.hasOwn(properties, name) ? properties[name] : undefined);
    if (normalized !== undefined) fields[name] = normalized;
  }
  return fields;
}

function normalizeValue(name: string, value: unknown, field: FieldSchema | undefined): unknown {
  if (field?.type === 'integer') {
    const integer = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
    return field.zeroIsAbsent && integer === 0 ? undefined : integer;
  }
  // A form has no other way to say it.
  if (field?.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (field?.type === 'object' && typeof value === 'string') return parseObject(name, value);
  return value;
}

function parseObject(name: string, text: string): unknown {
  try {
    return JSON.parse(text, refusePrototype);
  } catch {
    throw new Refusal('validation_failed', `${name} must be an object, or the JSON text of one.`);
  }
}

/** As in a JSON body. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a prototype is not data');
  return value;
}
