import type { FastifyRequest } from 'fastify';
import qs from 'qs';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { hasTooManyNames, MAX_NAMES } from './json-names.ts';

/** Maximum size of a request body in bytes. */
export const BODY_LIMIT = 64 * 1024;
/** The same for routes that need no key. The largest body, a passkey with an RSA signature, has about 2 kB. */
const PUBLIC_BODY_LIMIT = 4 * 1024;
const FORM_FIELDS = 100;
const FORM_DEPTH = 5;

/** Parses JSON and forms. A body without Content-Type is a form; an empty body is `{}`. */
export function readBodies(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addHook('onRoute', (route) => {
    if (route.config?.isPublic) route.bodyLimit = PUBLIC_BODY_LIMIT;
  });
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body.trim() === '') return done(null, {});
    if (hasTooManyNames(body)) return done(new Refusal('malformed_body', TOO_MANY_NAMES));
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

const TOO_MANY_NAMES = `The body must have at most ${MAX_NAMES} names of fields, including those of nested objects.`;
const TOO_MANY_FIELDS = `A form must have at most ${FORM_FIELDS} fields, nested at most ${FORM_DEPTH} levels deep.`;
const LOOKS_LIKE_JSON = 'The body looks like JSON. Send it with Content-Type: application/json.';

const QS_OPTIONS = {
  depth: FORM_DEPTH,
  strictDepth: true,
  parameterLimit: FORM_FIELDS,
  throwOnLimitExceeded: true,
  // custom_records[696969] has a field named 696969; qs would take it for an array index.
  parseArrays: false,
  // Otherwise qs drops fields named like a method of Object.
  plainObjects: true,
} as const;

/** Parses a form; `passThru[ticketId]=23` is a nested field. @throws Refusal */
function parseForm(body: string): unknown {
  // `curl -d` sends JSON as a form, where the whole text is the name of one empty field.
  if (/^\s*[{[]/.test(body)) throw new Refusal('malformed_body', LOOKS_LIKE_JSON);
  // Before anything is decoded: a form of 64 kB may have 32,000 fields.
  if (body.split('&', FORM_FIELDS + 1).length > FORM_FIELDS) throw new Refusal('malformed_body', TOO_MANY_FIELDS);
  // qs drops fields with these names, but no field of a request may be ignored.
  for (const name of new URLSearchParams(body).keys()) {
    if (name.includes('__proto__')) throw new Refusal('malformed_body', 'A form field must not be named __proto__.');
    if (name === '') throw new Refusal('malformed_body', 'Each value of a form must have a name.');
  }
  try {
    return qs.parse(body, QS_OPTIONS);
  } catch {
    throw new Refusal('malformed_body', TOO_MANY_FIELDS);
  }
}
