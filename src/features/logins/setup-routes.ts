import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../http/app-type.ts';
import { Email, emailText, plainText, requestBody } from '../../http/fields.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { namedObject } from '../../http/responses/response-types.ts';
import { CreationOptionsObject, CredentialField, NameField } from './passkey-routes.ts';
import {
  COOKIE,
  Code,
  CurrentPassword,
  FOR_OWN_PAGES,
  type LoginRouteModules,
  NewPassword,
  NO_REPLAY,
  OWN_LOGIN,
  STARTS_SESSION,
  userAgentOf,
} from './session-object.ts';
import { RecoveryCodesObject } from './totp-routes.ts';

const linkFields = {
  token: Type.String({ maxLength: 100, description: 'The part of the setup link after `#`' }),
  email: Type.Optional({ ...Email, description: 'The e-mail to log in with. Default: that of the account' }),
};

const readSchema = {
  operationId: 'getSetup',
  tags: ['Sessions'],
  summary: 'Read whether the service is set up',
  description: 'For the page that people see before anyone can log in.',
  ...PUBLIC,
  response: {
    200: namedObject('Setup', {
      has_login: Type.Boolean({ description: 'Whether anyone can log in' }),
      has_playground: Type.Boolean({ description: 'Whether a node is in a test network with the routes under `/playground`' }),
    }),
  },
};

const setUpSchema = {
  ...STARTS_SESSION,
  operationId: 'setUpLogin',
  summary: 'Set e-mail and password with a setup link',
  description: `The link can be used once, also with an e-mail that cannot be used. All sessions of the account end. ${COOKIE} ${NO_REPLAY}`,
  body: requestBody({ ...linkFields, password: NewPassword }),
  errorStatuses: [401, 403],
};

const beginPasskeySchema = {
  operationId: 'beginSetupPasskey',
  tags: ['Sessions'],
  summary: 'Begin to set a passkey with a setup link',
  description:
    'Returns the options for `navigator.credentials.create`, in the form of `parseCreationOptionsFromJSON`. The link stays usable. For pages of ' +
    'this service only.',
  ...PUBLIC,
  body: requestBody(linkFields),
  response: { 201: CreationOptionsObject },
  errorStatuses: [401, 403],
};

const setPasskeySchema = {
  ...STARTS_SESSION,
  operationId: 'setUpPasskey',
  summary: 'Set e-mail and a passkey with a setup link',
  description:
    `The link can be used once. All sessions of the account end, and it has no password afterwards. ${COOKIE} It takes no Idempotency-Key, because ` +
    'the challenge can be used once.',
  body: requestBody({ ...linkFields, credential: CredentialField, name: Type.Optional(NameField) }),
  errorStatuses: [401, 403],
};

const recoverSchema = {
  ...STARTS_SESSION,
  operationId: 'logInWithRecoveryCode',
  summary: 'Log in with a recovery code',
  description:
    `Each code logs in once, without a password or a passkey. An account with an authenticator app sends the code with its password instead. ${COOKIE} ` +
    'It takes no Idempotency-Key, because the code can be used once.',
  body: requestBody({ email: Email, code: Code }),
};

const codesSchema = {
  ...OWN_LOGIN,
  operationId: 'createRecoveryCodes',
  summary: 'Create recovery codes',
  description:
    'Returns ten codes, each for one login without a password or a passkey. Earlier ones stop working. For an account with an authenticator app ' +
    `there is \`renewRecoveryCodes\`. ${NO_REPLAY}`,
  body: requestBody({ current_password: Type.Optional(CurrentPassword) }),
  response: { 201: RecoveryCodesObject },
};

type SetupRouteModules = LoginRouteModules & { readonly playground?: object | undefined };

/** Setup links, and the recovery codes that make the next one unnecessary. */
export function setupRoutes(app: App, modules: SetupRouteModules): void {
  const { access, logins, setups, recoveryCodes, loginLimits, loginResponses, playground } = modules;
  const emailOf = (email: string | undefined) => (email === undefined ? undefined : emailText(email));

  app.get('/v1/session/setup', { schema: readSchema, config: { isPublic: true } }, async () => ({
    has_login: await setups.hasLogin(),
    has_playground: playground !== undefined,
  }));

  app.post('/v1/session/setup', { schema: setUpSchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    loginLimits.admitAddress(request);
    const { token, email, password } = request.body;
    const started = await setups.setPassword({ token, email: emailOf(email), password }, userAgentOf(request));
    loginLimits.returnAttempts(request, 1);
    return loginResponses.sendStarted(reply, started);
  });

  app.post('/v1/session/setup/passkey/options', { schema: beginPasskeySchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    loginLimits.admitAddress(request);
    const { token, email } = request.body;
    const begun = await setups.beginPasskey({ token, email: emailOf(email) });
    loginLimits.returnAttempts(request, 1);
    return reply.code(201).send(begun);
  });

  app.post('/v1/session/setup/passkey', { schema: setPasskeySchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    loginLimits.admitAddress(request);
    const { token, email, credential, name = '' } = request.body;
    const order = { token, email: emailOf(email), credential, name: plainText('name', name) };
    const started = await setups.setPasskey(order, userAgentOf(request));
    loginLimits.returnAttempts(request, 1);
    return loginResponses.sendStarted(reply, started);
  });

  app.post('/v1/session/recovery', { schema: recoverSchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    const email = emailText(request.body.email);
    const attempt = () => logins.logInWithRecoveryCode({ email, code: request.body.code }, userAgentOf(request));
    return loginResponses.sendStarted(reply, await loginLimits.limitAttempt(request, email, attempt));
  });

  app.post('/v1/session/recovery-codes', { schema: codesSchema }, async (request, reply) => {
    const key = await manager(request);
    const renew = () => recoveryCodes.renew(key, request.body.current_password);
    return reply.code(201).send({ recovery_codes: await loginLimits.limitAttempt(request, key.accountId, renew) });
  });

  async function manager(request: FastifyRequest) {
    return (await access.keyManager(request)).key;
  }
}
