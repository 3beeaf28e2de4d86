import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi/openapi-types.ts';
import { OPERATIONS } from '../../src/http/openapi/operations.ts';
import { REFUSALS } from '../../src/kernel/refusal.ts';
import { operationsOf } from './conformance/operations.ts';

// The committed file; another test keeps it equal to the routes.
const document: OpenApiDocument = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const walk = operationsOf(document);

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has words for every route, and for no route that is not there', () => {
    const described = walk.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    expect(described.sort(), 'write about new routes in src/http/openapi/operations/').toEqual(Object.keys(OPERATIONS).sort());
  });

  it('names every operation once, and says of each what it does, what it answers and what it refuses', () => {
    const ids = walk.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of walk) {
      expect(operation.summary.length, operation.operationId).toBeGreaterThan(5);
      expect(Object.keys(operation.responses), operation.operationId).toSatisfy((statuses: string[]) =>
        statuses.some((status) => status.startsWith('2')),
      );
    }
  });

  it('describes every parameter, and every refusal of the closed table', () => {
    for (const { operation, fields } of walk) {
      for (const field of fields.filter(({ in: place }) => place === 'path'))
        expect(field.example, `${operation.operationId} ${field.name}`).toBeDefined();
    }
    const listed = Object.values(document.components.responses).flatMap(
      ({ content }) => (content?.['application/json']?.schema.properties?.type?.enum ?? []) as string[],
    );
    expect(listed.sort()).toEqual(Object.keys(REFUSALS).sort());
  });

  it('gives examples that its own schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema(document as object, 'api');
    const media = (content: object | undefined): { schema: object; example?: unknown }[] => Object.values(content ?? {});
    const bodies = walk.flatMap(({ operation }) => [
      ...media(operation.requestBody?.content).map((one) => ({ name: operation.operationId, ...one })),
      ...Object.values(operation.responses).flatMap((response) =>
        '$ref' in response ? [] : media(response.content).map((one) => ({ name: operation.operationId, ...one })),
      ),
    ]);
    const parameters = walk.flatMap(({ operation, fields }) =>
      fields
        .filter(({ in: place }) => place !== 'body')
        .map(({ name, schema, example }) => ({ name: `${operation.operationId} ${name}`, schema, example })),
    );
    const wrong = [...bodies, ...parameters].flatMap(({ name, schema, example }) => {
      if (example === undefined) return [];
      const validate = ajv.compile(absolute(schema) as object);
      return validate(example) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(wrong).toEqual([]);
    expect(bodies.filter(({ example }) => example !== undefined).length).toBeGreaterThan(30);
  });
});

/** With references that also hold outside of the document. */
function absolute(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"$ref":"#', '"$ref":"api#'));
}
