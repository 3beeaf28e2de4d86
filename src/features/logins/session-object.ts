import { type Static, Type } from 'typebox';
import type { Account } from '../../core/accounts/directory.ts';
import { SESSION_METHODS, type Session } from '../../core/accounts/sessions.ts';
import { EXAMPLE } from '../../http/openapi/example-values.ts';
import { nullable, oneOf } from '../../http/responses/response-types.ts';
import { AccountObject, renderAccount } from '../accounts/account-object.ts';

export const SessionObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the session, `ses_…`. It is not a secret', examples: [EXAMPLE.session] }),
    created_at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
    method: oneOf(SESSION_METHODS, { description: 'How the person logged in', examples: ['password'] }),
    status: oneOf(['active', 'expired', 'revoked'], { description: 'Only an `active` session is accepted' }),
    last_used_at: Type.Integer({ description: 'The last use, a minute exact, in Unix seconds', examples: [EXAMPLE.now] }),
    expires_at: Type.Integer({ description: 'When it ends if it is not used, in Unix seconds', examples: [EXAMPLE.now + 86_400] }),
    user_agent: Type.String({ description: 'The browser, as it names itself', examples: ['Mozilla/5.0 (X11; Linux x86_64)'] }),
    is_current: Type.Boolean({ description: 'Whether this request belongs to the session', examples: [true] }),
  },
  { title: 'Session' },
);

export const LoginObject = Type.Object(
  {
    account: AccountObject,
    recovery_codes_left: nullable(
      Type.Integer({ description: 'The number of unused recovery codes; null without an authenticator app', examples: [10] }),
    ),
    session: nullable(SessionObject, { description: 'The session of this request; null for a request with an API key' }),
  },
  { title: 'Login' },
);

export function renderSession(session: Session, currentId: string | undefined): Static<typeof SessionObject> {
  return {
    id: session.id,
    created_at: session.createdAt,
    method: session.method,
    status: session.status,
    last_used_at: session.lastUsedAt,
    expires_at: session.expiresAt,
    user_agent: session.userAgent,
    is_current: session.id === currentId,
  };
}

export interface Login {
  readonly account: Account;
  readonly recoveryCodesLeft: number | undefined;
  readonly session: Session | undefined;
}

export function renderLogin({ account, recoveryCodesLeft, session }: Login): Static<typeof LoginObject> {
  return {
    account: renderAccount(account),
    recovery_codes_left: recoveryCodesLeft ?? null,
    session: session ? renderSession(session, session.id) : null,
  };
}
