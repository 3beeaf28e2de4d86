import { Type } from 'typebox';
import type { App } from '../app-type.ts';
import type { OpenApiDocument } from './document.ts';
import { PUBLIC } from './route-schema.ts';

const schema = {
  operationId: 'getOpenApi',
  tags: ['Service'],
  summary: 'Read this document',
  description: 'Returns the OpenAPI 3.1 document of the routes that this instance has.',
  ...PUBLIC,
  response: { 200: Type.Unsafe<Buffer>({ type: 'object', additionalProperties: true }) },
};

/** Adds the route of the OpenAPI document. */
export function openApiRoute(app: App, readDocument: () => OpenApiDocument): void {
  let json: Buffer | undefined;
  app.get('/openapi.json', { schema, config: { isDocument: true } }, async (_request, reply) => {
    json ??= Buffer.from(JSON.stringify(readDocument()));
    return reply.type('application/json').send(json);
  });
}
