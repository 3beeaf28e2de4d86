import { pagePolicy } from '../headers.ts';
import {
  type ApiResponse,
  type JsonSchema,
  METHODS,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
} from './openapi-types.ts';
import { curlOf } from './page-curl.ts';
import { STYLE } from './page-style.ts';

export const CONTENT_SECURITY_POLICY = pagePolicy(STYLE);

const NEEDS: Readonly<Record<string, string>> = {
  nothing: 'no key',
  any_key: 'any key but a name in links',
  secret_key: 'any key that is not public',
  account: 'a secret API key',
};

interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly alias: string | undefined;
}

/** The whole reference as one page of HTML, made out of the description alone. */
export function renderPage(document: OpenApiDocument): string {
  const places = Object.entries(document.paths).flatMap(([path, item]) => placesOf(path, item));
  const groups = document.tags
    .map((tag) => ({ ...tag, places: places.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter((group) => group.places.length > 0);
  const menu = groups.map(({ name, places }) => `<strong>${escapeHtml(name)}</strong><ul>${places.map(menuItem).join('')}</ul>`);
  const body = groups.map(
    ({ name, description, places }) =>
      `<h2>${escapeHtml(name)}</h2><p>${words(description)}</p>${places.map((place) => section(document, place)).join('')}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} API</title><style>${STYLE}</style></head>
<body><nav>${menu.join('')}<strong><a href="#objects">Objects</a></strong><strong><a href="#errors">Errors</a></strong><strong><a href="#headers">Headers</a></strong></nav>
<main><h1>${escapeHtml(document.info.title)} API</h1><p class="soft">As a file: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1)</p>
${paragraphs(document.info.description)}${body.join('')}${objects(document)}${errors(document)}${headers(document)}</main></body></html>
`;
}

function placesOf(path: string, item: PathItem): Place[] {
  return METHODS.flatMap((method) => {
    const operation = item[method];
    return operation ? [{ path, method, operation, alias: item['x-alias'] }] : [];
  });
}

function menuItem({ operation }: Place): string {
  return `<li><a href="#${escapeHtml(operation.operationId)}">${escapeHtml(operation.summary)}</a></li>`;
}

function section(document: OpenApiDocument, place: Place): string {
  const { path, method, operation, alias } = place;
  const [first] = operation.security;
  const [role = 'any_key'] = first ? (Object.values(first)[0] ?? []) : ['nothing'];
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(parameter, document.components.parameters));
  return `<section id="${escapeHtml(operation.operationId)}"><h3>${escapeHtml(operation.summary)}</h3>
<p class="path"><code><span class="method">${method}</span> ${escapeHtml(path)}</code></p>
<p class="soft">Needs: ${escapeHtml(NEEDS[role] ?? `a key with ${role}`)}. Name: ${escapeHtml(operation.operationId)}.${alias ? ` Also at ${escapeHtml(alias)}.` : ''}</p>
${operation.description ? `<p>${words(operation.description)}</p>` : ''}
${parameters.length > 0 ? `<h4>Parameters</h4><table class="facts">${parameters.map(parameterRow).join('')}</table>` : ''}
${media ? `<h4>Body</h4>${fields(media.schema)}` : ''}
<h4>Example</h4><pre><code>${escapeHtml(curlOf(path, method, operation))}</code></pre>
<h4>Answers</h4><table class="answers">${answerRows(operation)}</table></section>`;
}

function resolve<T extends object>(value: T | Reference, among: Record<string, T>): T {
  if (!('$ref' in value)) return value;
  const found = among[value.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`${value.$ref} is not in the document`);
  return found;
}

function parameterRow({ name, in: place, required, description, schema }: Parameter): string {
  const must = required ? ', required' : '';
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}, ${typeText(schema)}${must}</td><td>${words(description)}</td></tr>`;
}

/** The good answers one by one; the refusals in one row, because they are told at the end of the page. */
function answerRows({ responses }: Operation): string {
  const good = Object.entries(responses).flatMap(([status, response]) => ('$ref' in response ? [] : [answerRow(status, response)]));
  const refusals = Object.entries(responses).flatMap(([status, response]) => ('$ref' in response ? [status] : []));
  if (refusals.length === 0) return good.join('');
  return `${good.join('')}<tr><td colspan="2">${refusals.join(', ')}: see <a href="#errors">Errors</a>.</td></tr>`;
}

function answerRow(status: string, { description, content }: ApiResponse): string {
  const [media] = Object.values(content ?? {});
  const example = media?.example === undefined ? '' : `<pre><code>${escapeHtml(JSON.stringify(media.example, null, 2))}</code></pre>`;
  return `<tr><td>${status}</td><td>${words(description)} ${media ? typeText(media.schema) : ''}${media ? choices(media.schema) : ''}${example}</td></tr>`;
}

/** Answers that have no name among the objects: what each of them is, and its fields. */
function choices({ anyOf = [] }: JsonSchema): string {
  const titled = anyOf.filter(({ title }) => title !== undefined);
  return titled.map((one) => `<p><em>${escapeHtml(one.title ?? '')}</em>. ${words(one.description ?? '')}</p>${fields(one)}`).join('');
}

function fields(schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const must = schema.required?.includes(name) ? ', required' : '';
    const nested = field.properties ? fields(field) : '';
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${typeText(field)}${must}</td><td>${words(field.description ?? '')}${nested}</td></tr>`;
  });
  return `<table class="facts">${rows.join('')}</table>`;
}

function typeText(schema: JsonSchema): string {
  if (schema.$ref)
    return `<a href="#${escapeHtml(schema.$ref.split('/').at(-1) ?? '')}">${escapeHtml(schema.$ref.split('/').at(-1) ?? '')}</a>`;
  if (schema.title) return `<em>${escapeHtml(schema.title)}</em>`;
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' or ');
  if (schema.items) return `list of ${typeText(schema.items)}`;
  const bounds = [
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
  ].filter((bound) => bound !== false);
  return escapeHtml([[schema.type ?? 'anything'].flat().join(' or '), ...bounds].join(', '));
}

function objects(document: OpenApiDocument): string {
  const all = Object.entries(document.components.schemas).filter(([name]) => name !== 'Error');
  return `<h2 id="objects">Objects</h2>${all.map(([name, schema]) => `<section id="${name}"><h3>${name}</h3>${fields(schema)}</section>`).join('')}`;
}

function errors(document: OpenApiDocument): string {
  const rows = Object.values(document.components.responses).map((response) => {
    const [media] = Object.values(response.content ?? {});
    const status = media?.schema.properties?.status?.const;
    return `<tr><td>${status}</td><td>${response.description.split('\n').map(words).join('<br>')}</td></tr>`;
  });
  const schema = document.components.schemas.Error;
  return `<h2 id="errors">Errors</h2>${schema ? fields(schema) : ''}<h3>Types by status</h3><table class="answers">${rows.join('')}</table>`;
}

function headers(document: OpenApiDocument): string {
  const rows = Object.entries(document.components.headers).map(
    ([name, { description }]) => `<tr><td><code>${escapeHtml(name)}</code></td><td>${words(description)}</td></tr>`,
  );
  return `<h2 id="headers">Headers of answers</h2><table class="facts">${rows.join('')}</table>`;
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${words(paragraph)}</p>`)
    .join('');
}

/** Text with `code` and **strong**. */
function words(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
