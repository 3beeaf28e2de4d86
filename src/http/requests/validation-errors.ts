import type { FastifyError, FastifyRequest } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import { fieldsOf, type RouteSchema, ruleOf, shownName, shownNames } from '../field-schema.ts';

/** Returns the error for a request that does not match the schema of its route: the field, the rule and the remedy. */
export function describeInvalid(error: Partial<FastifyError>, request: FastifyRequest): Refusal {
  const { querystring, body, params } = request.routeOptions.schema ?? {};
  const inQuery = error.validationContext === 'querystring';
  const inPath = error.validationContext === 'params';
  const fields = fieldsOf(inQuery ? querystring : inPath ? params : body);
  const [first] = error.validation ?? [];
  if (first?.keyword === 'additionalProperties') return unknownField(String(first.params.additionalProperty), Object.keys(fields));
  const isMissing = first?.keyword === 'required';
  const name = isMissing ? String(first.params.missingProperty) : (first?.instancePath ?? '').split('/')[1];
  const field = name !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (name === undefined || !field) return new Refusal('validation_failed', 'The body must be an object.');
  const where = inQuery ? `Query parameter ${shownName(name)}` : inPath ? `${shownName(name)} in the path` : shownName(name);
  if (isMissing) return new Refusal('validation_failed', `${where} is missing: it ${ruleOf(field)}.`);
  // The maximum of every amount is the largest amount that the ledger can hold.
  if (first?.keyword === 'maximum' && isAmount(field))
    return new Refusal('limit_exceeded', `${where} must be at most ${field.maximum} ${field.unit}.`);
  return new Refusal('validation_failed', `${where} ${ruleOf(field)}.${remedy(first?.keyword, field, name)}`);
}

function unknownField(name: string, known: readonly string[]): Refusal {
  const rest = known.length > 0 ? `The fields are ${shownNames(known)}.` : 'It has no fields.';
  return new Refusal('validation_failed', `${shownName(name)} is not a field of this request. ${rest}`);
}

function isAmount({ unit }: RouteSchema): boolean {
  return unit === 'satoshis' || unit === 'millisatoshis';
}

/** Explains how to send the type. A wrong type may be a string in an unexpected format, or a form field that was sent twice. */
function remedy(keyword: string | undefined, { type }: RouteSchema, name: string): string {
  if (keyword !== 'type') return '';
  if (type === 'integer') return ' Write it with at most 16 digits, without sign, fraction or unit, and send it once.';
  if (type === 'object') return ` In a form, send \`${name}[name]=value\`.`;
  return ' Send it once.';
}
