import { type Static, Type } from 'typebox';
import type { NodeConnection } from '../../core/connection/connection.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { DatabaseHealth } from '../../core/db/health.ts';
import { withTimeout } from '../../core/kernel/clock.ts';
import { TtlCache } from '../../core/kernel/ttl-cache.ts';
import type { Quarantine } from '../../core/quarantine/quarantine.ts';
import type { Withdrawals } from '../../core/withdrawals/withdrawals.ts';
import type { App } from '../../http/app-type.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { type SecurityTxtDependencies, securityTxtRoute } from './security-txt.ts';

const VersionObject = namedObject('Version', {
  version: Type.String({ description: 'The version of the release' }),
  commit: nullable(Type.String({ description: 'The commit; null where it is unknown' })),
  schema: Type.Integer({ description: 'The version of the database schema: the number of its newest migration' }),
  api: Type.String({ description: 'The version of the API, as in the path' }),
});

/** The version of this code. */
export type Version = Static<typeof VersionObject>;

const Health = namedObject('Health', { status: oneOf(['ok'], { description: 'Always `ok`' }), ...VersionObject.properties });

const Readiness = namedObject('Readiness', {
  status: oneOf(['ready', 'restored', 'not ready'], {
    description:
      '`ready` when the database is ok and a node can be used. `restored`: the same, but the database was restored from a backup, and no ' +
      'money is sent until an operator accepts it',
  }),
  database: oneOf(['ok', 'read_only', 'unavailable'], {
    description: '`read_only`: reads work, writes failed. The service tries to write until it works',
  }),
  node: oneOf(['ok', 'partial', 'behind', 'unavailable'], {
    description:
      '`partial`: a node can neither send nor receive, because it has no channel that can, or is one of several that do not answer or whose ' +
      'credential lacks a permission. `behind`: a node is behind the blockchain and sends nothing. `unavailable`: no node can be ' +
      'used. Reads work in all cases. Requests that need such a node are rejected with 503',
  }),
  withdrawals: oneOf(['allowed', 'stopped', 'restored', 'unknown'], {
    description:
      '`stopped`: the operator lets no payment leave the service. `restored`: none leaves it until an operator accepts the restore. ' +
      '`unknown`: the database cannot be read',
  }),
});

const healthSchema = {
  operationId: 'getHealth',
  tags: ['Service'],
  summary: 'Check whether the process responds',
  description: 'Reads neither the database nor the node.',
  ...PUBLIC,
  response: { 200: Health },
};

const versionSchema = {
  operationId: 'getVersion',
  tags: ['Service'],
  summary: 'Read the version of the service',
  description: '`/healthz` has the same fields.',
  ...PUBLIC,
  response: { 200: VersionObject },
};

const readinessSchema = {
  operationId: 'getReadiness',
  tags: ['Service'],
  summary: 'Check whether the database and the node work',
  description: 'Returns 503 with the same body while one of them does not.',
  ...PUBLIC,
  response: { 200: Readiness, 503: Readiness },
};

/** How long a read may take before the database counts as unavailable. */
const READ_MS = 2_000;

interface ServiceModules {
  readonly quarantine: Quarantine;
  readonly withdrawals: Withdrawals;
  readonly health: DatabaseHealth;
  readonly connections: NodeConnections;
}

/** `answers`: whether each node can be used, in their order. */
function stateOfNodes(nodes: readonly NodeConnection[], answers: readonly boolean[]): Static<typeof Readiness>['node'] {
  if (!answers.includes(true)) return 'unavailable';
  if (nodes.some((one, index) => answers[index] && one.chain().state === 'behind')) return 'behind';
  return answers.includes(false) || nodes.some((one) => !one.canMoveMoney()) ? 'partial' : 'ok';
}

/** `healthz`: the process responds. `readyz`: the database and a node work. */
export function serviceRoutes(app: App, deps: ServiceModules & SecurityTxtDependencies, version: Promise<Version>): void {
  const { quarantine, withdrawals, health, connections } = deps;
  securityTxtRoute(app, deps);
  // The route needs no key, and each read takes a database connection, so the result is cached.
  const readable = new TtlCache<Static<typeof Readiness>['withdrawals']>({ maxAgeMs: 1000, maxSize: 1 });
  const read = async () => {
    if (await quarantine.read()) return 'restored';
    return (await withdrawals.read()).stopped_at === null ? 'allowed' : 'stopped';
  };
  const readState = () => withTimeout(READ_MS, read(), () => new Error('the database does not answer')).catch(() => 'unknown' as const);

  app.get('/healthz', { schema: healthSchema }, async () => ({ status: 'ok' as const, ...(await version) }));

  app.get('/v1/version', { schema: versionSchema, config: { isPublic: true } }, () => version);

  app.get('/readyz', { schema: readinessSchema }, async (_request, reply) => {
    const [state = 'unknown', ...answers] = await Promise.all([
      readable.get('', readState),
      ...connections.all.map((one) => one.isAvailable()),
    ]);
    const canRead = state !== 'unknown';
    const canWrite = health.isWritable();
    const ready = canRead && canWrite && answers.includes(true);
    return reply.code(ready ? 200 : 503).send({
      status: !ready ? 'not ready' : state === 'restored' ? 'restored' : 'ready',
      database: !canRead ? 'unavailable' : canWrite ? 'ok' : 'read_only',
      node: stateOfNodes(connections.all, answers),
      withdrawals: state,
    });
  });
}
