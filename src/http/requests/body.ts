import type { FastifyRequest } from 'fastify';
import qs from 'qs';
import { Refusal } from '../../kernel/refusal.ts';
import type { App } from '../app-type.ts';

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

const LOOKS_LIKE_JSON = 'This body looks like JSON. Send it with Content-Type: application/json.';

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
  // `curl -d` sends JSON with the type of a form, in which the whole text is the name of one empty field.
  if (/^\s*[{[]/.test(body)) throw new Refusal('malformed_body', LOOKS_LIKE_JSON);
  // qs drops fields with these names; nothing that was sent may be dropped.
  for (const name of new URLSearchParams(body).keys()) {
    if (name.includes('__proto__')) throw new Refusal('malformed_body', 'No field of a form may be called __proto__.');
    if (name === '') throw new Refusal('malformed_body', 'The form has a value without a name.');
  }
  try {
    return qs.parse(body, QS_OPTIONS);
  } catch {
    throw new Refusal('malformed_body', `The form has more than ${FORM_FIELDS} fields, or is nested deeper than ${FORM_DEPTH}.`);
  }
}
