import type { OperationNotes } from '../operations.ts';

const SERVICE = { tag: 'Service', needs: 'nothing' } as const;

export const SERVICE_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'GET /healthz': { ...SERVICE, id: 'getHealth', summary: 'Ask whether the process answers', answer: 'Health' },
  'GET /readyz': {
    ...SERVICE,
    id: 'getReadiness',
    summary: 'Check whether the database and the node work',
    description: 'Returns 503 with the same body while one of them does not.',
    answer: 'Readiness',
    says: { 503: { status: 'not ready', node: 'unavailable' } },
  },
  'GET /metrics': {
    ...SERVICE,
    id: 'getMetrics',
    summary: 'Read numbers for Prometheus',
    description: 'For programs on the same machine or, with METRICS_TOKEN, for who sends it as `Authorization: Bearer`.',
    media: 'text/plain',
    refusals: [401, 404],
  },
  'GET /openapi.json': {
    ...SERVICE,
    id: 'getOpenApi',
    summary: 'Read this description',
    description: 'OpenAPI 3.1, of the routes that this instance has.',
    schema: { type: 'object', additionalProperties: true },
  },
  'GET /docs': {
    ...SERVICE,
    id: 'getDocs',
    summary: 'Read this description as a page',
    media: 'text/html',
  },
};
