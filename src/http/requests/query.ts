import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { fieldsOf, shownName, shownNames } from '../field-schema.ts';
import { isSelectableRoute } from '../responses/select.ts';
import { addPreValidation, BRACKETS, QUERY_ALIASES } from './normalize.ts';

/** Rejects unknown query parameters on lists and on routes that change something: a misspelled amount or filter must not be ignored. */
export function rejectUnknownParameters(app: App): void {
  app.addHook('onRoute', (route) => {
    const isSelectable = isSelectableRoute(route);
    if (isSelectable) addPreValidation(route, rejectInvalidFields);
    if (!isClosed(route)) return;
    route.config = { ...route.config, closedQuery: true };
    const query = fieldsOf(route.schema?.querystring);
    const body = fieldsOf(route.schema?.body);
    addPreValidation(route, (request, _reply, done) => {
      for (const name in request.query as Record<string, unknown>) {
        if (name === 'access-token' || name.startsWith('_') || (isSelectable && name === 'fields') || isDeclared(name, query)) continue;
        throw new Refusal('validation_failed', unknownParameterText(name, Object.keys(query), Object.hasOwn(body, name)));
      }
      done();
    });
  });
}

const MAX_FIELDS = 50;

function rejectInvalidFields(request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const { fields } = request.query as Record<string, unknown>;
  if (Array.isArray(fields))
    throw new Refusal('validation_failed', 'Query parameter `fields` must be sent once, with commas between the names.');
  if (String(fields).split(',').length > MAX_FIELDS)
    throw new Refusal('validation_failed', `\`fields\` must have at most ${MAX_FIELDS} names.`);
  done();
}

function isClosed({ method, schema, config }: RouteOptions): boolean {
  if (config?.lnurl || config?.undocumented) return false;
  if (config?.closedQuery || config?.hasSideEffect || [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')) return true;
  const answer = (schema?.response as Record<string, { type?: string }> | undefined)?.['200'];
  return answer?.type === 'array' || Object.hasOwn(fieldsOf(schema?.querystring), 'per-page');
}

function isDeclared(name: string, declared: ReturnType<typeof fieldsOf>): boolean {
  if (Object.hasOwn(declared, QUERY_ALIASES.get(name) ?? name)) return true;
  const [, outer] = BRACKETS.exec(name) ?? [];
  return outer !== undefined && Object.hasOwn(declared, outer) && declared[outer]?.type === 'object';
}

function unknownParameterText(name: string, known: readonly string[], isInBody: boolean): string {
  if (isInBody) return `${shownName(name)} must be in the request body, not in the query.`;
  const remedy = known.length > 0 ? `The parameters are ${shownNames(known)}.` : 'It has no parameters.';
  return `${shownName(name)} is not a query parameter of this request. ${remedy}`;
}

const MAX_QUERY_LENGTH = 12_000;
const MAX_QUERY_PARAMETERS = 100;

/** Rejects a query that is too long, before anything of it is read. @throws Refusal `payload_too_large` */
export function rejectLongQuery(url: string): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  const query = url.slice(start + 1);
  if (query.length > MAX_QUERY_LENGTH)
    throw new Refusal('payload_too_large', `The query must have at most ${MAX_QUERY_LENGTH} characters.`);
  if (query.split('&').length > MAX_QUERY_PARAMETERS)
    throw new Refusal('payload_too_large', `The query must have at most ${MAX_QUERY_PARAMETERS} parameters.`);
}
