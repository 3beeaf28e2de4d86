import { type Static, Type } from 'typebox';
import { statusOf } from '../../../core/connection/connection.ts';
import { unixSeconds, withTimeout } from '../../../core/kernel/clock.ts';
import { errorMessage } from '../../../core/kernel/log.ts';
import type { App } from '../../../http/app-type.ts';
import { namedObject, nullable, oneOf } from '../../../http/responses/response-types.ts';
import { readLastBackup } from '../../backup/last-backup.ts';
import { readLiquidity } from '../liquidity.ts';
import { OPERATOR, type OperatorRouteModules } from '../operator-route.ts';
import { checkDisk, checkFiles } from './files.ts';
import type { Finding } from './finding.ts';
import { judgeNodeVersion } from './node-version.ts';
import { judgeLiquidity, judgeNode, judgeUnknownHolds } from './nodes.ts';
import { judgeAlertChannels, judgeBackup, judgePublicAddress, judgeRecipients, type PublicAddress } from './settings.ts';

const STATUSES = ['fail', 'warn', 'ok'] as const;

const CheckObject = namedObject('Check', {
  status: oneOf(STATUSES, {
    description: '`fail`: something does not work, or money or secrets are at risk. `warn`: everything works, but a change is recommended',
  }),
  subject: Type.String({ description: 'The subject of the check, such as `node`, `liquidity`, `backup` or `public URL`' }),
  text: Type.String({ description: 'The result, in English' }),
  remedy: nullable(Type.String({ description: 'The action to take; null for `ok`' })),
});

const schema = {
  ...OPERATOR,
  operationId: 'listChecks',
  summary: 'Check the nodes, their liquidity, the backups and the settings',
  description:
    'Runs the checks of `satchel doctor` that are possible in a running service, on the instance that receives the request. Failures come first. A ' +
    'node that does not answer within two seconds counts as unavailable. `satchel doctor` also checks the clock, the database, the certificate and the proxy.',
  response: { 200: Type.Array(CheckObject) },
};

/** The settings that are checked. */
export interface CheckSettings extends PublicAddress {
  readonly dataDir: string;
  readonly backup: { readonly intervalSeconds: number; readonly recipients: readonly string[] };
  readonly notifications: Parameters<typeof judgeAlertChannels>[0];
}

export function checkRoutes(app: App, modules: OperatorRouteModules, settings: CheckSettings): void {
  app.get('/v1/operator/checks', { schema }, async (request): Promise<Static<typeof CheckObject>[]> => {
    await modules.access.operator(request);
    const findings = await check(modules, settings);
    return findings.toSorted((a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status));
  });
}

async function check(modules: OperatorRouteModules, settings: CheckSettings): Promise<Finding[]> {
  const { database, clock } = modules;
  const last = await readLastBackup(database);
  return [
    judgeNodeVersion(),
    ...(await checkNodes(modules)),
    judgeBackup(last, settings.backup.intervalSeconds, unixSeconds(clock)),
    judgeRecipients(settings.backup.recipients),
    ...judgePublicAddress(settings),
    judgeAlertChannels(settings.notifications),
    ...checkDisk(settings.dataDir),
    ...checkFiles(settings.dataDir),
  ];
}

/** A node that does not answer must not delay the page. */
const ANSWER_MS = 2000;

async function checkNodes(modules: OperatorRouteModules): Promise<Finding[]> {
  const { connections, invoices } = modules;
  const { nodes } = await readLiquidity(modules);
  const found = connections.all.map(async (connection): Promise<Finding[]> => {
    const { nodeId } = connection;
    const answer = await withTimeout(ANSWER_MS, connection.readInfo()).then(statusOf, (error: unknown) => ({
      status: 'unavailable' as const,
      status_reason: errorMessage(error),
    }));
    const info = connection.info();
    const name = info?.alias || nodeId;
    const node = judgeNode({ name, status: answer.status, reason: answer.status_reason, isSynced: info?.chain?.isSynced ?? null });
    const liquidity = nodes.find(({ ln_node_id, status }) => ln_node_id === nodeId && status === 'known');
    const held = answer.status === 'unavailable' ? [] : await withTimeout(ANSWER_MS, invoices.listUnknownHolds(connection)).catch(() => []);
    const unknown = judgeUnknownHolds(
      name,
      held.map(({ amountMsat }) => amountMsat),
    );
    return [node, ...unknown, ...judgeLiquidity(name, liquidity?.spendable_msat ?? null, liquidity?.receivable_msat ?? null)];
  });
  return (await Promise.all(found)).flat();
}
