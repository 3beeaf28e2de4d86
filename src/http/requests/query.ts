import type { FastifyRequest, RouteOptions } from 'fastify';
import { Refusal } from '../../kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { fieldsOf, shownName, shownNames } from '../field-schema.ts';
import { isSelectable } from '../responses/select.ts';
import { BRACKETS, QUERY_ALIASES } from './normalize.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Rejects undeclared query parameters. Set automatically on lists and on routes that change something. */
    closedQuery?: boolean;
  }
}

/** Rejects unknown query parameters on lists and on routes that change something: a misspelled amount or filter must not be ignored. */
export function rejectUnknownParameters(app: App): void {
  app.addHook('onRoute', (route) => {
    if (isClosed(route)) route.config = { ...route.config, closedQuery: true };
  });
  app.addHook('preValidation', (request, _reply, done) => {
    checkQuery(request);
    done();
  });
}

function isClosed({ method, schema, config }: RouteOptions): boolean {
  if (config?.lnurl || config?.undocumented) return false;
  if (config?.closedQuery || config?.hasSideEffect || [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')) return true;
  const answer = (schema?.response as Record<string, { type?: string }> | undefined)?.['200'];
  return answer?.type === 'array' || Object.hasOwn(fieldsOf(schema?.querystring), 'per-page');
}

/** Checks the names of the query parameters. @throws Refusal naming the parameter. */
function checkQuery(request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  const { config, schema } = request.routeOptions;
  const selects = isSelectable(request);
  if (selects && Array.isArray(query.fields))
    throw new Refusal('validation_failed', 'Query parameter `fields` must be sent once, with commas between the names.');
  if (!config?.closedQuery) return;
  const declared = fieldsOf(schema?.querystring);
  for (const name of Object.keys(query)) {
    if (name === 'access-token' || name.startsWith('_') || (selects && name === 'fields') || isDeclared(name, declared)) continue;
    throw new Refusal('validation_failed', unknownParameterText(name, Object.keys(declared), Object.hasOwn(fieldsOf(schema?.body), name)));
  }
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
