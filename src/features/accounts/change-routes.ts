import { type Static, Type } from 'typebox';
import { ACCOUNT_STATUSES, type AccountChange, type AccountDirectory, ROLES } from '../../core/accounts/directory.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import type { Access } from '../../http/auth/access.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { oneOf } from '../../http/responses/response-types.ts';

const AccountChangeObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the change, `acch_…`' }),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    account_id: Type.String({ description: 'The account that was changed' }),
    made_by: Type.String({ description: 'The key or session that requested it' }),
    made_by_account: Type.String({ description: 'The account of that key or session' }),
    reason: Type.String({ description: 'Why; may be empty' }),
    changes: Type.Object(
      {
        role: Type.Optional(oneOf(ROLES, { description: 'The new role' })),
        status: Type.Optional(oneOf(ACCOUNT_STATUSES, { description: 'The new status' })),
        email: Type.Optional(Type.String({ description: 'The new e-mail' })),
        max_wallets: Type.Optional(Type.Integer({ description: 'The new limit of wallets' })),
        setup_link: Type.Optional(oneOf(['created'], { description: 'A setup link was created' })),
      },
      { description: 'The fields that were set, and only these' },
    ),
  },
  { title: 'AccountChange' },
);

const listSchema = {
  operationId: 'listAccountChanges',
  tags: ['Accounts'],
  summary: 'List the changes that operators made to an account',
  ...requires('operator'),
  params: Type.Object({ id: Type.String({ description: 'The id of the account, `acc_…`' }) }),
  querystring: ListQuery,
  response: { 200: Type.Array(AccountChangeObject) },
};

export interface AccountChangeRouteDependencies {
  readonly access: Access;
  readonly directory: AccountDirectory;
}

export function accountChangeRoutes(app: App, { access, directory }: AccountChangeRouteDependencies): void {
  app.get('/v1/accounts/:id/changes', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    const { id } = request.params;
    if (!(await directory.find(id))) throw new Refusal('not_found');
    return sendList(request, reply, directory.listChanges(id), renderChange);
  });
}

function renderChange({ changes, ...change }: AccountChange): Static<typeof AccountChangeObject> {
  const { role, status, email, maxWallets, setupLink } = changes;
  return {
    id: change.id,
    created_at: change.createdAt,
    account_id: change.accountId,
    made_by: change.madeBy,
    made_by_account: change.madeByAccount,
    reason: change.reason,
    changes: {
      ...(role !== undefined && { role }),
      ...(status !== undefined && { status }),
      ...(email !== undefined && { email }),
      ...(maxWallets !== undefined && { max_wallets: maxWallets }),
      ...(setupLink !== undefined && { setup_link: setupLink }),
    },
  };
}
