import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { anyObject, namedObject, nullable } from '../../http/responses/response-types.ts';
import {
  COOKIE,
  Code,
  CurrentPassword,
  FOR_OWN_PAGES,
  type LoginRouteModules,
  NO_REPLAY,
  OWN_LOGIN,
  STARTS_SESSION,
  userAgentOf,
} from './session-object.ts';

const PasskeyObject = namedObject('Passkey', {
  id: Type.String({ description: 'The id of the passkey, `pky_…`' }),
  name: Type.String({ description: 'A name of your choice' }),
  credential_id: Type.String({ description: 'Its id at the browser, in base64url' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  last_used_at: nullable(Type.Integer({ description: 'The last login, in Unix seconds; null if there was none' })),
});

const Descriptor = Type.Object({
  type: Type.String({ description: 'Always `public-key`' }),
  id: Type.String({ description: 'The id of a passkey that the account has' }),
  transports: Type.Array(Type.String({ description: 'How the browser reaches the authenticator' }), {
    description: 'How the browser reaches the authenticator',
  }),
});

const challengeFields = {
  challenge: Type.String({ description: 'What the authenticator signs, in base64url. It can be used once' }),
  timeout: Type.Integer({ description: 'How long it can be used, in milliseconds' }),
};

export const CreationOptionsObject = namedObject('PasskeyCreationOptions', {
  ...challengeFields,
  rp: Type.Object(
    {
      id: Type.String({ description: 'The domain of the service' }),
      name: Type.String({ description: 'The same, for people' }),
    },
    { description: 'The service for which the passkey is created' },
  ),
  user: Type.Object(
    {
      id: Type.String({ description: 'The id of the account, in base64url' }),
      name: Type.String({ description: 'The e-mail of the account' }),
      displayName: Type.String({ description: 'The same' }),
    },
    { description: 'The account for which the passkey is created' },
  ),
  pubKeyCredParams: Type.Array(
    Type.Object({
      type: Type.String({ description: 'Always `public-key`' }),
      alg: Type.Integer({ description: 'A COSE algorithm' }),
    }),
    { description: 'The signature algorithms that the service accepts, the best first' },
  ),
  excludeCredentials: Type.Array(Descriptor, { description: 'The passkeys that the account has; their authenticators create no other' }),
  authenticatorSelection: Type.Object(
    {
      residentKey: Type.String({ description: 'Always `required`' }),
      requireResidentKey: Type.Boolean({ description: 'Always true' }),
      userVerification: Type.String({ description: 'Always `required`' }),
    },
    { description: 'What the authenticator must support' },
  ),
  attestation: Type.String({ description: 'Always `none`' }),
});

const RequestOptionsObject = namedObject('PasskeyRequestOptions', {
  ...challengeFields,
  rpId: Type.String({ description: 'The domain of the service' }),
  userVerification: Type.String({ description: 'Always `required`' }),
});

export const CredentialField = anyObject('The PublicKeyCredential of the browser, as its `toJSON()` returns it');
export const NameField = Type.String({ maxLength: 100, description: 'A name of your choice, such as that of the device' });

const IdParams = Type.Object({ id: Type.String({ description: 'The `pky_` id' }) });

const beginSchema = {
  ...OWN_LOGIN,
  operationId: 'beginPasskey',
  summary: 'Begin to add a passkey',
  description: `Returns the options for \`navigator.credentials.create\`, in the form of \`parseCreationOptionsFromJSON\`. ${NO_REPLAY}`,
  body: requestBody({
    current_password: Type.Optional(CurrentPassword),
    code: Type.Optional({
      ...Code,
      description: 'With `current_password`, if the account has an authenticator app: its code, or a recovery code',
    }),
  }),
  response: { 201: CreationOptionsObject },
};

const addSchema = {
  ...OWN_LOGIN,
  operationId: 'addPasskey',
  summary: 'Add a passkey',
  description: 'Only the session or key that began it may add it. It takes no Idempotency-Key, because the challenge can be used once.',
  body: requestBody({ credential: CredentialField, name: Type.Optional(NameField) }),
  response: { 201: PasskeyObject },
  errorStatuses: [409],
};

const listSchema = {
  ...OWN_LOGIN,
  operationId: 'listPasskeys',
  summary: 'List the passkeys of the account',
  description: 'At most twenty, newest first.',
  response: { 200: Type.Array(PasskeyObject) },
};

const renameSchema = {
  ...OWN_LOGIN,
  operationId: 'renamePasskey',
  summary: 'Rename a passkey',
  params: IdParams,
  body: requestBody({ name: NameField }),
  response: { 200: PasskeyObject },
};

const removeSchema = {
  ...OWN_LOGIN,
  operationId: 'removePasskey',
  summary: 'Remove a passkey',
  description: 'Its sessions continue: end them with `revokeSession`.',
  params: IdParams,
  response: { 200: PasskeyObject },
};

const beginLoginSchema = {
  operationId: 'beginPasskeyLogin',
  tags: ['Sessions'],
  summary: 'Begin to log in with a passkey',
  description:
    'Returns the options for `navigator.credentials.get`, in the form of `parseRequestOptionsFromJSON`. For pages of this service only.',
  ...PUBLIC,
  response: { 201: RequestOptionsObject },
  errorStatuses: [403],
};

const logInSchema = {
  ...STARTS_SESSION,
  operationId: 'logInWithPasskey',
  summary: 'Log in with a passkey',
  description: `A passkey replaces the password and the authenticator app. ${COOKIE} It takes no Idempotency-Key, because the challenge can be used once.`,
  body: requestBody({ credential: CredentialField }),
};

export function passkeyRoutes(app: App, { access, passkeys, loginLimits, loginResponses }: LoginRouteModules): void {
  async function manager(request: FastifyRequest) {
    return (await access.keyManager(request)).key;
  }

  app.post('/v1/session/passkey/options', { schema: beginLoginSchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    loginLimits.admitAddress(request);
    return reply.code(201).send(await passkeys.beginLogin());
  });

  app.post('/v1/session/passkey', { schema: logInSchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    loginLimits.admitAddress(request);
    const started = await passkeys.logIn(request.body.credential, userAgentOf(request));
    // This attempt, and its beginning.
    loginLimits.returnAttempts(request, 2);
    return loginResponses.sendStarted(reply, started);
  });

  app.post('/v1/session/passkeys/options', { schema: beginSchema }, async (request, reply) => {
    const key = await manager(request);
    const { current_password: password, code } = request.body;
    const begun = await loginLimits.limitAttempt(request, key.accountId, () => passkeys.beginAdding(key, { password, code }));
    return reply.code(201).send(begun);
  });

  app.post('/v1/session/passkeys', { schema: addSchema }, async (request, reply) => {
    const key = await manager(request);
    const { credential, name = '' } = request.body;
    return reply.code(201).send(await passkeys.add(key, { credential, name: plainText('name', name) }));
  });

  app.get('/v1/session/passkeys', { schema: listSchema }, async (request) => passkeys.list((await manager(request)).accountId));

  app.patch('/v1/session/passkeys/:id', { schema: renameSchema }, async (request) =>
    passkeys.rename(await manager(request), request.params.id, plainText('name', request.body.name)),
  );

  app.delete('/v1/session/passkeys/:id', { schema: removeSchema }, async (request) =>
    passkeys.remove(await manager(request), request.params.id),
  );
}
