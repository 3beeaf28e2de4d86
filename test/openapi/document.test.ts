import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../src/core/journal/event-types.ts';
import { REFUSALS } from '../../src/core/kernel/refusal.ts';
import { EXAMPLES, type Operation } from '../../src/http/openapi/document.ts';
import type { JsonSchema } from '../../src/http/openapi/openapi-types.ts';
import type { Json } from '../support/client.ts';
import { committedApi, committedDocuments, operationsOf } from './conformance/operations.ts';

// The committed files. Another test compares them with the routes.
const document = committedApi();
const walk = operationsOf(document);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    for (const one of committedDocuments()) {
      const validator = new Validator();
      expect(await validator.validate(structuredClone(one) as unknown as Record<string, unknown>)).toMatchObject({ valid: true });
      expect(validator.version).toBe('3.1');
    }
  });

  it('describes what is sent to webhooks: each event with the fields of its payload, which its example has', () => {
    const { webhooks = {} } = document as unknown as { webhooks?: Record<string, { post: Json }> };
    expect(Object.keys(webhooks)).toEqual(EVENT_NAMES);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: 'api', components: absolute(document.components) as object });
    const [example] = (exampleById('listEvents', 200) ?? []) as unknown as Json[];
    for (const [type, { post }] of Object.entries(webhooks)) {
      const isPayload = ajv.compile(absolute(post.requestBody.content['application/json'].schema) as object);
      expect([type, isPayload(example)]).toEqual([type, type === 'wallet_receive']);
      expect([type, isPayload({ ...example, type, data: {} })]).toEqual([type, false]);
    }
  });

  it('names every operation once, with a topic, a summary and a successful response', () => {
    const ids = walk.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const topics = document.tags.map(({ name }) => name);
    for (const { method, path, operation } of walk) {
      expect(operation.operationId, `${method} ${path} needs an operationId in its schema`).toMatch(/^[a-z][A-Za-z]+$/);
      expect(topics, operation.operationId).toEqual(expect.arrayContaining([...operation.tags]));
      expect(operation.summary.length, operation.operationId).toBeGreaterThan(5);
      expect(Object.keys(operation.responses), operation.operationId).toSatisfy((statuses: string[]) =>
        statuses.some((status) => status.startsWith('2')),
      );
    }
  });

  it('has the operations of operators, of sessions and of the playground in a document of their own', () => {
    const isSecond = (path: string) => /^(\/v1\/sessions?|\/v1\/operator|\/playground)(\/|$)/.test(path);
    const [first = [], second = []] = committedDocuments().map(({ paths }) => Object.keys(paths));
    expect(first.filter(isSecond)).toEqual([]);
    expect(second.filter((path) => !isSecond(path))).toEqual([]);
    expect(second.length).toBeGreaterThan(40);
  });

  it('describes each body as JSON alone, because clients that are generated from two formats do not load', () => {
    const bodies = walk.flatMap(({ operation }) => (operation.requestBody ? [Object.keys(operation.requestBody.content)] : []));
    expect(new Set(bodies.flat())).toEqual(new Set(['application/json']));
    expect(bodies.every((types) => types.length === 1)).toBe(true);
  });

  it('describes every parameter, every field and every type of error', () => {
    const named = Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribed(name, schema));
    const asked = walk.flatMap(({ operation }) => [
      ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => undescribed(operation.operationId, schema)),
      ...(operation.parameters ?? []).flatMap((one) =>
        'in' in one && isMeaningful(one.description, one.name) ? [] : '$ref' in one ? [] : [`${operation.operationId} ${one.name}`],
      ),
      ...Object.values(operation.responses).flatMap((response) =>
        '$ref' in response ? [] : Object.values(response.content ?? {}).flatMap(({ schema }) => undescribed(operation.operationId, schema)),
      ),
    ]);
    expect([...named, ...asked], 'add a description to the field in its schema').toEqual([]);
    for (const { operation, fields } of walk) {
      for (const field of fields.filter(({ in: place }) => place === 'path'))
        expect(field.example, `${operation.operationId} ${field.name}`).toBeDefined();
    }
    const errors = Object.values(document.components.responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json']?.examples ?? {}),
    );
    const types = Object.keys(REFUSALS).filter((type) => type !== 'method_not_allowed');
    expect(errors.sort()).toEqual(types.sort());
    expect(document.components.schemas.Error?.properties?.type?.['x-extensible-enum']).toEqual(Object.keys(REFUSALS));
  });

  it('writes each object once, and leaves the texts of responses open', () => {
    const errors = Object.values(document.components.responses).map(({ content }) => content?.['application/json']?.schema);
    expect(new Set(errors.map((schema) => JSON.stringify(schema)))).toEqual(new Set(['{"$ref":"#/components/schemas/Error"}']));
    const closed = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries(schema.properties ?? {}).flatMap(([field, { type, enum: values }]) =>
        values && type === 'string' ? [`${name}.${field}`] : [],
      ),
    );
    expect(closed).toEqual([]);
  });

  it('has an example of every JSON response, and none of an operation that does not exist', () => {
    const missing = walk.flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) =>
        '$ref' in response || !response.content?.['application/json'] || status in (EXAMPLES[operation.operationId]?.responses ?? {})
          ? []
          : [`${operation.operationId} ${status}`],
      ),
    );
    expect(missing, 'add the response to docs/openapi-examples.json').toEqual([]);
    const ids = walk.map(({ operation }) => operation.operationId);
    expect(Object.keys(EXAMPLES).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('gives examples that match its own schemas', () => {
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

  it('shows responses that match the examples of the requests', () => {
    const wrong = walk.flatMap(({ operation, fields }) =>
      [200, 201, 202].flatMap((status) => {
        const answer = exampleOf(operation, status);
        return fields.flatMap(({ name, in: place, example }) => {
          if (place === 'path' || example === undefined || answer === undefined || !(name in answer)) return [];
          const said = answer[name];
          const same = typeof said === 'number' ? Math.abs(said) === example : said === example || typeof said === 'object';
          return same ? [] : [`${operation.operationId} ${status} ${name}: ${said}, not ${example}`];
        });
      }),
    );
    expect(wrong).toEqual([]);

    const unsettled = { settled: 0, settled_at: null, payment_preimage: null };
    expect(exampleById('createInvoice', 201)).toMatchObject({ ...unsettled, status: 'open', fee_msat: null });
    expect(exampleById('cancelInvoice', 200)).toMatchObject({ ...unsettled, status: 'cancelled' });
    for (const id of ['withdraw', 'keysend']) {
      const sent = { wtxType: { name: 'ln_withdrawal' }, num_satoshis: expect.toSatisfy((sat: number) => sat < 0) };
      expect(exampleById(id, 201)).toMatchObject({ ...sent, status: 'settled', lnTx: { settled: 1 } });
      expect(exampleById(id, 202)).toMatchObject({ ...sent, status: 'pending', lnTx: unsettled });
    }
    expect(exampleById('transfer', 201)).toMatchObject({ wtx_transfer_in: { lnTx: null }, wtx_transfer_out: { lnTx: null } });
    expect(Object.keys(exampleById('createWallet', 201)?.access_keys as object)).toHaveLength(5);
  });
});

function isMeaningful(description: string | undefined, name: string): boolean {
  return description !== undefined && description.toLowerCase() !== name.toLowerCase() && description !== 'Id';
}

/** Returns the fields without a description. A referenced schema has its own. */
function undescribed(path: string, schema: JsonSchema): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.$ref || isMeaningful(field.description, name) ? [] : [`${path}.${name}`]),
    ...undescribed(`${path}.${name}`, field),
  ]);
  const values = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : []), ...values];
  return [...fields, ...inner.flatMap((one) => undescribed(path, one))];
}

type Example = Record<string, unknown> | undefined;

function exampleById(id: string, status: number): Example {
  const found = walk.find(({ operation }) => operation.operationId === id);
  return found && exampleOf(found.operation, status);
}

function exampleOf({ responses }: Operation, status: number): Example {
  const response = responses[status];
  return response && 'content' in response ? (response.content?.['application/json']?.example as Example) : undefined;
}

/** Returns the schema with references that are also valid outside the document. */
function absolute(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"$ref":"#', '"$ref":"api#'));
}
