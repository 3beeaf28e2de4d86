import type { FastifyRequest } from 'fastify';
import type { Key } from '../../core/accounts/accounts.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { networksOf } from '../../http/limits/addresses.ts';
import { isForApps, LNDHUB_PATH } from '../keys/lndhub-link.ts';
import { type LndhubContext, NEEDS_ACCESS_KEY, ROUTE } from './context.ts';
import { LndhubRefusal } from './errors.ts';
import { fieldsOf, readText } from './fields.ts';
import { createAppLoginLimits } from './login-limits.ts';
import { createAppLogins } from './logins.ts';

const MAX_TOKEN = 1000;
const MAX_LOGIN = 128;

const PUBLIC_ROUTE = { config: { ...ROUTE, isPublic: true } };

/** Logs apps in, and creates their wallets. */
export function sessionRoutes(app: App, deps: LndhubContext): void {
  const { accounts, wallets, lndhubTokens, hasUnlimitedLogins } = deps;
  const appLogins = createAppLogins(deps);
  const limits = createAppLoginLimits({ isUnlimited: hasUnlimitedLogins });

  /** Returns the key of a refresh token, or of a password. The query of the request has `type`, which servers of this API ignore. */
  async function findKey(request: FastifyRequest): Promise<Key> {
    const fields = fieldsOf(request.body);
    const token = readText(fields, 'refresh_token', MAX_TOKEN);
    const login = readText(fields, 'login', MAX_LOGIN) ?? '';
    const password = readText(fields, 'password', MAX_LOGIN) ?? '';
    const key = await limits.limitAttempt(request, token === undefined ? login : '', async () => {
      const caller = { groups: networksOf(request.ip) };
      const keyId = token === undefined ? await appLogins.findKeyId(login, password, caller) : lndhubTokens.read(token, 'refresh');
      return keyId === undefined ? undefined : accounts.findValid(keyId);
    });
    if (!key) throw new Refusal('unauthorized');
    if (!isForApps(key.kind)) throw new Refusal('forbidden', NEEDS_ACCESS_KEY);
    return key;
  }

  app.post(`${LNDHUB_PATH}/auth`, PUBLIC_ROUTE, async (request) => lndhubTokens.issuePair((await findKey(request)).id));

  app.post(`${LNDHUB_PATH}/create`, PUBLIC_ROUTE, async (request) => {
    const accountId = await openAccount(deps);
    limits.admitCreation(request);
    const { wallet, accessKeys } = await wallets.create(accountId, 'LNDhub');
    return { login: wallet.id, password: accessKeys.wallet_admin };
  });
}

/** @throws LndhubRefusal unless apps may create wallets */
async function openAccount({ lndhub: { accountId }, directory }: LndhubContext): Promise<string> {
  const account = accountId === undefined ? undefined : await directory.find(accountId).catch(notFound);
  if (account?.status === 'active') return account.id;
  throw new LndhubRefusal(11, 'forbidden', 'not accepting new accounts');
}

function notFound(error: unknown): undefined {
  if (error instanceof Refusal && error.type === 'not_found') return undefined;
  throw error;
}
