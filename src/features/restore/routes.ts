import type { Database } from '../../core/db/database.ts';
import type { App, RouteContext } from '../../http/app-type.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { readRestore } from './restore.ts';
import { RestoreObject } from './restore-object.ts';

const schema = {
  tags: ['Operator'],
  ...requires('operator'),
  ...MANAGES,
  operationId: 'getRestore',
  summary: 'Read the state of a restore',
  description:
    'After a restore the service sends no money until an operator runs `satchel restore accept`. Meanwhile it reads from its nodes what they have ' +
    'received and sent since the backup, and books what the ledger lacks.',
  response: { 200: RestoreObject },
};

export function restoreRoutes(app: App, { access, database }: RouteContext & { readonly database: Database }): void {
  app.get('/v1/operator/restore', { schema }, async (request) => {
    await access.operator(request);
    return readRestore(database);
  });
}
