import { Type } from 'typebox';
import type { App, RouteContext } from '../../../http/app-type.ts';
import { choice, HEX_32, requestBody } from '../../../http/fields.ts';
import { PUBLIC, requires } from '../../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../../http/responses/response-types.ts';
import type { LoginModules } from '../login-modules.ts';
import { AUTH_ACTIONS, type CreatedChallenge } from './challenges.ts';

const DEFAULT_EXPIRY_SECONDS = 600;

const challengeFields = {
  id: Type.String({ description: 'The id of the challenge, `lnurla_…`' }),
  action: nullable(oneOf(AUTH_ACTIONS, { description: 'What the person agrees to, as the wallet shows it' })),
  status: oneOf(['open', 'authenticated', 'expired'], { description: '`authenticated`: a wallet has signed the challenge' }),
  linking_key: nullable(
    Type.String({
      description: 'The public key that identifies the person at this service; null until authenticated. Every wallet seed has another one',
    }),
  ),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  expires_at: Type.Integer({ description: 'Unix seconds' }),
  authenticated_at: nullable(Type.Integer({ description: 'Unix seconds' })),
};

const ChallengeObject = namedObject('AuthChallenge', challengeFields);

const NewChallengeObject = namedObject('NewAuthChallenge', {
  ...challengeFields,
  lnurl: Type.String({ description: '`url` as an LNURL (LUD-01), to show as a QR code' }),
  url: Type.String({ description: 'The address that the wallet calls. Only this response contains it' }),
});

const createSchema = {
  operationId: 'createAuthChallenge',
  tags: ['LNURL'],
  summary: 'Let a person log in with a Lightning wallet',
  description:
    'Creates an LNURL-auth challenge (LUD-04) for your own application. Show `lnurl` as a QR code, and read the challenge until it is ' +
    '`authenticated`. Each person has the same `linking_key` each time, as long as the host of PUBLIC_URL does not change.',
  ...requires('account'),
  body: requestBody({
    action: Type.Optional(choice(AUTH_ACTIONS, { description: 'What the person agrees to. Wallets show it' })),
    expiry: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 3600,
        unit: 'seconds',
        description: 'How long the challenge can be signed, in seconds. Default: 600',
      }),
    ),
  }),
  response: { 201: NewChallengeObject },
};

const getSchema = {
  operationId: 'getAuthChallenge',
  tags: ['LNURL'],
  summary: 'Read an LNURL-auth challenge',
  description: 'A challenge is deleted two hours after it was created.',
  ...requires('account'),
  params: Type.Object({ id: Type.String({ description: 'The `lnurla_` id' }) }),
  response: { 200: ChallengeObject },
};

const callbackSchema = {
  operationId: 'signAuthChallenge',
  tags: ['LNURL'],
  summary: 'Sign an LNURL-auth challenge',
  description: 'The address that the wallet calls (LUD-04). Every error is HTTP 200 in the form of LNURL.',
  ...PUBLIC,
  querystring: Type.Object({
    tag: Type.Optional(Type.String({ maxLength: 16, description: 'Always `login`' })),
    k1: Type.String({ ...HEX_32, description: 'The challenge' }),
    action: Type.Optional(Type.String({ maxLength: 16, description: 'Part of the address; ignored' })),
    sig: Type.String({
      pattern: '^([0-9a-fA-F]{2}){8,72}$',
      rule: 'a signature in DER, in hexadecimal',
      description: 'The ECDSA signature of `k1` in DER, in hex',
    }),
    key: Type.String({
      pattern: '^[0-9a-fA-F]{66}$',
      rule: 'a compressed public key, in hexadecimal',
      description: 'The public key that signed, compressed, in hex',
    }),
  }),
  response: { 200: Type.Object({}, { additionalProperties: true }) },
};

type LnurlAuthModules = LoginModules & RouteContext;

export function lnurlAuthRoutes(app: App, { access, runIdempotent, challenges }: LnurlAuthModules): void {
  app.post('/v1/lnurl-auth', { schema: createSchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { action, expiry: expirySeconds = DEFAULT_EXPIRY_SECONDS } = request.body;
    const scope = { credential, hasSecret: true };
    const challenge = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => challenges.create(credential.key, { action, expirySeconds }, (created) => rows(created.id, created)),
      replay: async (_id, secret) => secret() as CreatedChallenge,
    });
    return reply.code(201).send(challenge);
  });

  app.get('/v1/lnurl-auth/:id', { schema: getSchema }, async (request) =>
    challenges.find(request.params.id, await access.account(request)),
  );

  const route = { schema: callbackSchema, exposeHeadRoute: false, config: { lnurl: true, hasSideEffect: true } };
  app.get('/v1/lnurl-auth/callback', route, async (request) => {
    const { k1, sig: signature, key: linkingKey } = request.query;
    await challenges.sign({ k1: k1.toLowerCase(), signature, linkingKey: linkingKey.toLowerCase() });
    return { status: 'OK' };
  });
}
