import type { FastifyReply, FastifyRequest } from 'fastify';
import { fieldsOf } from '../field-schema.ts';

/** Many clients accept at most 16 kB of response headers, and each link repeats the query. */
const MAX_LINKS_LENGTH = 8192;

/** The parameters of pages by their relation: first, prev, next, last. */
export type Links = Readonly<Record<string, object>>;

/**
 * Sets links to other pages of a list (RFC 8288) by their relation. They repeat the filters of the request, are relative, and contain no
 * credential.
 */
export function setLinks(request: FastifyRequest, reply: FastifyReply, links: Links): void {
  const kept = keptParameters(request);
  const texts = Object.entries(links).map(([relation, parameters]) => {
    const query = new URLSearchParams({ ...kept, ...Object.fromEntries(Object.entries(parameters).map(([k, v]) => [k, String(v)])) });
    return `<?${query}>; rel="${relation}"`;
  });
  const text = texts.join(', ');
  if (text !== '' && text.length <= MAX_LINKS_LENGTH) reply.header('link', text);
}

/** A field name or a path of names. Keys and tokens are longer, so that none is repeated. */
const FIELD_PATH = /^\w{1,23}(\.\w{1,23})*$/;

/** The parameters that each link sets itself, or that only the first page needs. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set(['page', 'per-page', 'after', 'count']);

/** Returns the query parameters that links repeat: only declared ones, which cannot be credentials. */
function keptParameters(request: FastifyRequest): Record<string, string> {
  const { fields, ...query } = request.query as Record<string, unknown>;
  const known = fieldsOf(request.routeOptions.schema?.querystring);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (!Object.hasOwn(known, name) || OWN_PARAMETERS.has(name)) continue;
    if (typeof value === 'object' && value !== null)
      for (const [inner, text] of Object.entries(value)) kept[`${name}[${inner}]`] = String(text);
    else kept[name] = String(value);
  }
  const names = typeof fields === 'string' ? fields.split(',').filter((field) => FIELD_PATH.test(field.trim())) : [];
  return names.length > 0 ? { ...kept, fields: names.join(',') } : kept;
}
