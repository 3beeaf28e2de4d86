import type { JsonSchema } from './openapi-types.ts';

/** The headers of a delivery that its receiver needs. */
const HEADERS = {
  'webhook-id': 'The id of the event. A delivery may come again: ignore an id that was processed',
  'webhook-timestamp': 'When the delivery was sent, in Unix seconds',
  'webhook-signature':
    'Signatures of id, timestamp and body by Standard Webhooks: `v1,` and base64; several, separated by spaces, while a secret is replaced',
} as const;

const EVENT = { $ref: '#/components/schemas/Event' };

/** Returns what is sent to webhooks, one operation for each type of event, from the schema of an event. */
export function webhooksOf(event: JsonSchema): Readonly<Record<string, { readonly post: object }>> {
  const data = event.properties?.data;
  const fieldsByType = data?.['x-fields-by-type'] ?? {};
  return Object.fromEntries(
    Object.entries(fieldsByType).map(([type, fields]) => [type, { post: operationOf(type, fields, data?.properties) }]),
  );
}

function operationOf(type: string, fields: readonly string[], schemas: JsonSchema['properties'] = {}): object {
  const properties = Object.fromEntries(fields.map((name) => [name, schemas[name] ?? {}]));
  const payload = {
    type: 'object',
    required: ['type', 'data'],
    properties: { type: { const: type }, data: { type: 'object', required: fields, properties } },
  };
  return {
    operationId: `on_${type}`.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary: `The event \`${type}\` is delivered`,
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: { allOf: [EVENT, payload] } } } },
    responses: { '2XX': { description: 'The delivery was received. Any other status, or none within the timeout, is retried.' } },
  };
}
