import type { FastifyError, FastifyRequest } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import { fieldsOf, type RouteSchema, ruleOf, shownNames, shownPath } from '../field-schema.ts';

/** Returns the error for a request that does not match the schema of its route: the field, the rule and the remedy. */
export function describeInvalid(error: Partial<FastifyError>, request: FastifyRequest): Refusal {
  const { querystring, body, params } = request.routeOptions.schema ?? {};
  const inQuery = error.validationContext === 'querystring';
  const inPath = error.validationContext === 'params';
  const root = inQuery ? querystring : inPath ? params : body;
  const [first] = error.validation ?? [];
  const isMissing = first?.keyword === 'required';
  const steps = (first?.instancePath ?? '').split('/').slice(1);
  if (isMissing) steps.push(String(first.params.missingProperty));
  const { path, name, field, fields } = follow(root, steps);
  if (first?.keyword === 'additionalProperties') return unknownField(path, String(first.params.additionalProperty), Object.keys(fields));
  if (name === undefined && path !== '') return new Refusal('validation_failed', `\`${path.slice(0, -1)}\` must be an object.`);
  if (name === undefined || !field) return new Refusal('validation_failed', 'The body must be an object.');
  const shown = shownPath(path, name);
  const where = inQuery ? `Query parameter ${shown}` : inPath ? `${shown} in the path` : shown;
  if (isMissing) return new Refusal('validation_failed', `${where} is missing: it ${ruleOf(field)}.`);
  // The maximum of every amount is the largest amount that the ledger can hold.
  if (first?.keyword === 'maximum' && isAmount(field))
    return new Refusal('limit_exceeded', `${where} must be at most ${field.maximum} ${field.unit}.`);
  return new Refusal('validation_failed', `${where} ${ruleOf(field)}.${remedy(first?.keyword, field, name)}`);
}

/**
 * Follows the steps of an error to its field: a name, or a name, a number and a name for a field of an item. `fields` are those of the last
 * object on the way.
 */
function follow(root: unknown, [name, index, ...rest]: readonly string[], path = ''): FoundField {
  const fields = fieldsOf(root);
  const field = name !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
  const items = field?.type === 'array' ? field.items : undefined;
  if (name === undefined || index === undefined || items?.type !== 'object') return { path, name, field, fields };
  const item = `${path}${name}[${index}]`;
  if (rest.length > 0) return follow(items, rest, `${item}.`);
  return { path: `${item}.`, name: undefined, field: undefined, fields: fieldsOf(items) };
}

interface FoundField {
  /** The part before the name: `lines[17].` */
  readonly path: string;
  readonly name: string | undefined;
  readonly field: RouteSchema | undefined;
  readonly fields: ReturnType<typeof fieldsOf>;
}

function unknownField(path: string, name: string, known: readonly string[]): Refusal {
  const rest = known.length > 0 ? `The fields are ${shownNames(known)}.` : 'It has no fields.';
  return new Refusal('validation_failed', `${shownPath(path, name)} is not a field of this request. ${rest}`);
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
