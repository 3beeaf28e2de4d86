import type { FastifyBodyParser, FastifyRequest } from 'fastify';
import qs from 'qs';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { parseCsvLines } from './csv-lines.ts';
import { hasTooManyNames, MAX_BULK_NAMES, MAX_NAMES } from './json-names.ts';
import { inexactNumber, inexactRefusal } from './json-numbers.ts';

/** Maximum size of a request body in bytes. */
export const BODY_LIMIT = 64 * 1024;
/** The same for routes that need no key. The largest body, a passkey with an RSA signature, has about 2 kB. */
const PUBLIC_BODY_LIMIT = 4 * 1024;
/** The same for a list of lines. */
const BULK_BODY_LIMIT = 1024 * 1024;
const FORM_FIELDS = 100;
const FORM_DEPTH = 5;

type Done = NonNullable<Parameters<FastifyBodyParser<string>>[2]>;

/** Parses JSON and forms. A body without Content-Type is a form; an empty body is `{}`. */
export function readBodies(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addHook('onRoute', (route) => {
    if (route.config?.isPublic) route.bodyLimit = PUBLIC_BODY_LIMIT;
    if (route.config?.isBulk) route.bodyLimit = BULK_BODY_LIMIT;
  });
  function readJson(request: FastifyRequest, body: string, done: Done) {
    if (body.trim() === '') return done(null, {});
    const maxNames = request.routeOptions.config.isBulk ? MAX_BULK_NAMES : MAX_NAMES;
    if (hasTooManyNames(body, maxNames)) return done(new Refusal('malformed_body', tooManyNames(maxNames)));
    parseJson(request, body, (error, value) => {
      if (error) done(new Refusal('malformed_body', 'The body is not valid JSON.'));
      else if (typeof value !== 'object' || value === null || Array.isArray(value))
        done(new Refusal('malformed_body', 'The body must be a JSON object.'));
      else {
        // A number of a field is checked by its schema.
        const inexact = inexactNumber(body, (path) => path.length === 1 || (path.length === 3 && path[0] === 'lines'));
        if (inexact === undefined) done(null, value);
        else done(inexactRefusal(inexact));
      }
    });
  }
  function isUntypedJson(request: FastifyRequest, body: string): boolean {
    return request.routeOptions.config.acceptsUntypedJson === true && LOOKS_LIKE_JSON.test(body);
  }
  function readForm(request: FastifyRequest, body: string, done: Done) {
    if (isUntypedJson(request, body)) return readJson(request, body, done);
    let form: unknown;
    try {
      form = parseForm(body);
    } catch (error) {
      return done(error as Refusal);
    }
    done(null, form);
  }
  app.addContentTypeParser('application/json', { parseAs: 'string' }, readJson);
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, readForm);
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body: string, done) => {
    const type = request.headers['content-type'];
    if (type === undefined) return readForm(request, body, done);
    // Browsers send a text without a type as plain text.
    if (type.startsWith('text/plain') && isUntypedJson(request, body)) return readJson(request, body, done);
    if (request.routeOptions.config.isBulk && /^text\/csv\b/i.test(type)) return readCsv(body, done);
    done(new Refusal('unsupported_media_type'));
  });
}

function readCsv(body: string, done: Done): void {
  try {
    done(null, { lines: parseCsvLines(body) });
  } catch (error) {
    done(error as Refusal);
  }
}

function tooManyNames(maxNames: number): string {
  return `The body must have at most ${maxNames} names of fields, including those of nested objects.`;
}

const TOO_MANY_FIELDS = `A form must have at most ${FORM_FIELDS} fields, nested at most ${FORM_DEPTH} levels deep.`;
const SEND_AS_JSON = 'The body looks like JSON. Send it with Content-Type: application/json.';
const LOOKS_LIKE_JSON = /^\s*[{[]/;

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
  if (LOOKS_LIKE_JSON.test(body)) throw new Refusal('malformed_body', SEND_AS_JSON);
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
