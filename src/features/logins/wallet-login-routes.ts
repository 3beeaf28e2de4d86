import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import {
  COOKIE,
  Code,
  CurrentPassword,
  FOR_OWN_PAGES,
  LoginObject,
  type LoginRouteModules,
  NO_REPLAY,
  OWN_LOGIN,
  STARTS_SESSION,
  userAgentOf,
} from './session-object.ts';

const requestFields = {
  id: Type.String({ description: 'The id of the request, `wlg_…`' }),
  lnurl: Type.String({ description: '`url` as an LNURL (LUD-01), to show as a QR code' }),
  url: Type.String({ description: 'The address that the wallet calls' }),
  expires_at: Type.Integer({ description: 'Until when a wallet can sign, in Unix seconds' }),
};

const WalletLoginObject = namedObject('WalletLogin', {
  ...requestFields,
  token: Type.String({ description: 'A secret of this browser, which completes the login. The wallet does not get it' }),
});

const WalletLinkObject = namedObject('WalletLink', requestFields);

const OpenObject = namedObject('OpenWalletRequest', {
  status: oneOf(['open'], { description: 'No wallet has signed yet. Send the request again after a second' }),
});

const LinkedKeyObject = namedObject('LinkedKey', {
  id: Type.String({ description: 'The id of the linked key, `lky_…`' }),
  name: Type.String({ description: 'A name of your choice' }),
  linking_key: Type.String({ description: 'The public key with which the wallet signs, in hex' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  last_used_at: nullable(Type.Integer({ description: 'The last login, in Unix seconds; null if there was none' })),
});

const LoginParams = Type.Object({ id: Type.String({ description: 'The `wlg_` id' }) });

const beginSchema = {
  operationId: 'beginWalletLogin',
  tags: ['Sessions'],
  summary: 'Log in with a Lightning wallet',
  description:
    'Show `lnurl` as a QR code, and complete the login with `token`. The wallet must be linked to an account. For pages of this service only; ' +
    'applications use `createAuthChallenge` for their own users.',
  ...PUBLIC,
  response: { 201: WalletLoginObject },
  errorStatuses: [403],
};

const completeSchema = {
  ...STARTS_SESSION,
  operationId: 'completeWalletLogin',
  summary: 'Complete a login with a Lightning wallet',
  description: `202 as long as no wallet has signed; 401 if the wallet is linked to no account; 403 for an account without an authenticator app. ${COOKIE} It takes no Idempotency-Key.`,
  params: LoginParams,
  body: requestBody({ token: Type.String({ maxLength: 100, description: 'The `token` of the login' }), code: Type.Optional(Code) }),
  response: { 201: LoginObject, 202: OpenObject },
};

const beginLinkSchema = {
  ...OWN_LOGIN,
  operationId: 'beginWalletLink',
  summary: 'Link a Lightning wallet to the login',
  description: `Show \`lnurl\` as a QR code, and complete with \`completeWalletLink\`. ${NO_REPLAY}`,
  body: requestBody({
    current_password: Type.Optional(CurrentPassword),
    name: Type.Optional(Type.String({ maxLength: 100, description: 'A name of your choice, such as that of the device' })),
  }),
  response: { 201: WalletLinkObject },
};

const completeLinkSchema = {
  ...OWN_LOGIN,
  operationId: 'completeWalletLink',
  summary: 'Complete the link of a Lightning wallet',
  description: '202 as long as no wallet has signed. Only the session or key that began it may complete it. It takes no Idempotency-Key.',
  params: LoginParams,
  response: { 201: LinkedKeyObject, 202: OpenObject },
  errorStatuses: [409],
};

const listSchema = {
  ...OWN_LOGIN,
  operationId: 'listLinkedKeys',
  summary: 'List the linked Lightning wallets',
  description: 'At most ten, newest first.',
  response: { 200: Type.Array(LinkedKeyObject) },
};

const removeSchema = {
  ...OWN_LOGIN,
  operationId: 'removeLinkedKey',
  summary: 'Remove a linked Lightning wallet',
  description: 'Its sessions continue: end them with `revokeSession`.',
  params: Type.Object({ id: Type.String({ description: 'The `lky_` id' }) }),
  response: { 200: LinkedKeyObject },
};

/** Logins to this service with a Lightning wallet (LUD-04). */
export function walletLoginRoutes(app: App, { access, walletLogins, loginLimits, loginResponses }: LoginRouteModules): void {
  app.post('/v1/session/lnurl-auth', { schema: beginSchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    loginLimits.admitAddress(request);
    return reply.code(201).send(await walletLogins.begin());
  });

  app.post('/v1/session/lnurl-auth/:id', { schema: completeSchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    const { token, code } = request.body;
    const login = { id: request.params.id, token };
    const signer = await walletLogins.signer(login);
    if (signer === undefined) return reply.code(202).send({ status: 'open' as const });
    // The name of the limit is the key, because only codes can be guessed here.
    const complete = () => walletLogins.complete({ ...login, code }, userAgentOf(request));
    const started = await loginLimits.limitAttempt(request, signer, complete);
    // Its beginning.
    loginLimits.returnAttempts(request, 1);
    return loginResponses.sendStarted(reply, started);
  });

  app.post('/v1/session/linked-keys', { schema: beginLinkSchema }, async (request, reply) => {
    const { key } = await access.keyManager(request);
    const { current_password: password, name = '' } = request.body;
    const link = { password, name: plainText('name', name) };
    const begun = await loginLimits.limitAttempt(request, key.accountId, () => walletLogins.beginLink(key, link));
    return reply.code(201).send(begun);
  });

  app.post('/v1/session/linked-keys/:id', { schema: completeLinkSchema }, async (request, reply) => {
    const linked = await walletLogins.completeLink(await manager(request), request.params.id);
    if (!linked) return reply.code(202).send({ status: 'open' as const });
    return reply.code(201).send(linked);
  });

  app.get('/v1/session/linked-keys', { schema: listSchema }, async (request) => walletLogins.listKeys((await manager(request)).accountId));

  app.delete('/v1/session/linked-keys/:id', { schema: removeSchema }, async (request) =>
    walletLogins.removeKey(await manager(request), request.params.id),
  );

  async function manager(request: FastifyRequest) {
    return (await access.keyManager(request)).key;
  }
}
