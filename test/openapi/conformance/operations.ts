import { readFileSync } from 'node:fs';
import { DOCUMENTS, wholeApi } from '../../../scripts/openapi/documents.ts';
import type { OpenApiDocument, Operation } from '../../../src/http/openapi/document.ts';
import { type JsonSchema, METHODS, type Parameter } from '../../../src/http/openapi/openapi-types.ts';
import type { Client } from '../../support/client.ts';

/** The committed documents. */
export function committedDocuments(): OpenApiDocument[] {
  return DOCUMENTS.map((name) => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')));
}

/** The operations of all committed documents. */
export function committedApi(): OpenApiDocument {
  return wholeApi(committedDocuments());
}

/** The operations of all documents, as the service returns them. */
export async function servedApi(client: Client): Promise<OpenApiDocument> {
  return wholeApi(await Promise.all(DOCUMENTS.map((name) => client.get(`/${name}`))));
}

/** An operation of the document. */
export interface Walked {
  readonly method: string;
  readonly path: string;
  readonly alias: string | undefined;
  readonly operation: Operation;
  readonly fields: readonly Field[];
}

/** A parameter or a body field of a request. */
export interface Field {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** Whether many operations have it, so that the same code reads it for all of them. */
  readonly shared: boolean;
}

/** The values of a request, by place and name. */
export type Values = Readonly<Record<Field['in'], Readonly<Record<string, unknown>>>>;

export function operationsOf(document: OpenApiDocument): Walked[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const fields = [...parametersOf(document, operation), ...bodyOf(operation)];
      return [{ method: method.toUpperCase(), path, alias: item['x-alias'], operation, fields }];
    }),
  );
}

function parametersOf(document: OpenApiDocument, operation: Operation): Field[] {
  return (operation.parameters ?? []).map((given) => {
    const parameter = '$ref' in given ? document.components.parameters[given.$ref.split('/').at(-1) ?? ''] : given;
    if (!parameter) throw new Error(`${operation.operationId} refers to a parameter that is not there`);
    const { name, in: place, required = false, schema, example }: Parameter = parameter;
    return { name, in: place, required, schema, example, shared: '$ref' in given };
  });
}

function bodyOf(operation: Operation): Field[] {
  const media = operation.requestBody?.content['application/json'];
  const examples = (media?.example ?? {}) as Record<string, unknown>;
  return Object.entries(media?.schema.properties ?? {}).map(([name, schema]) => {
    const required = media?.schema.required?.includes(name) === true;
    return { name, in: 'body', required, schema, example: examples[name], shared: false };
  });
}

/** Returns the permission that the key needs, or `account`, `secret_key`, `any_key`; undefined where no key is needed. */
export function needOf({ operation }: Walked): string | undefined {
  return operation.security.length > 0 ? operation['x-permission'] : undefined;
}

/** Returns whether an operation may change something in the service. Those of the playground change its other nodes. */
export function changesSomething({ method, path, operation }: Walked): boolean {
  if (path.startsWith('/playground')) return false;
  return method === 'GET' ? operation['x-side-effect'] === true : operation['x-read-only'] !== true;
}
