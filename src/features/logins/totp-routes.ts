import { base32nopad } from '@scure/base';
import { Type } from 'typebox';
import type { App } from '../../http/app-type.ts';
import { requestBody } from '../../http/fields.ts';
import { namedObject } from '../../http/responses/response-types.ts';
import { AccountObject } from '../accounts/account-object.ts';
import { Code, type LoginRouteModules, NO_REPLAY, OWN_LOGIN, Password } from './session-object.ts';
import { otpauthUrl } from './totp.ts';

const BeginTotpBody = requestBody({ current_password: { ...Password, description: 'The present password' } });

const ConfirmTotpBody = requestBody({ code: Code });

const RemoveTotpBody = requestBody({ ...BeginTotpBody.properties, ...ConfirmTotpBody.properties });

const TotpObject = namedObject('Totp', {
  secret: Type.String({ description: 'The seed in base32, to type into an app' }),
  otpauth_url: Type.String({ description: 'The same as a URL, to show as a QR code' }),
});

export const RecoveryCodesObject = namedObject('RecoveryCodes', {
  recovery_codes: Type.Array(Type.String({ description: 'A code for one login' }), {
    description: 'Only this response contains them',
  }),
});

const beginTotpSchema = {
  ...OWN_LOGIN,
  operationId: 'beginTotp',
  summary: 'Add an authenticator app',
  description: `The login needs its codes (TOTP, RFC 6238) once one is confirmed. ${NO_REPLAY}`,
  body: BeginTotpBody,
  response: { 201: TotpObject },
};

const confirmTotpSchema = {
  ...OWN_LOGIN,
  operationId: 'confirmTotp',
  summary: 'Confirm the authenticator app with a first code',
  body: ConfirmTotpBody,
  response: { 200: RecoveryCodesObject },
};

const renewCodesSchema = {
  ...OWN_LOGIN,
  operationId: 'renewRecoveryCodes',
  summary: 'Replace the recovery codes',
  description: `The earlier ones stop working. ${NO_REPLAY}`,
  body: RemoveTotpBody,
  response: { 200: RecoveryCodesObject },
};

const removeTotpSchema = {
  ...OWN_LOGIN,
  operationId: 'removeTotp',
  summary: 'Remove the authenticator app and the recovery codes',
  description: NO_REPLAY,
  body: RemoveTotpBody,
  response: { 200: AccountObject },
};

/** The second factor of the login. */
export function totpRoutes(app: App, { access, directory, secondFactors, loginLimits, publicUrl }: LoginRouteModules): void {
  app.post('/v1/session/totp', { schema: beginTotpSchema }, async (request, reply) => {
    const { key } = await access.keyManager(request);
    const begin = () => secondFactors.begin(key, request.body.current_password);
    const { seed, email } = await loginLimits.limitAttempt(request, key.accountId, begin);
    const url = otpauthUrl(seed, { issuer: new URL(publicUrl).hostname, account: email });
    return reply.code(201).send({ secret: base32nopad.encode(seed), otpauth_url: url });
  });

  app.post('/v1/session/totp/confirm', { schema: confirmTotpSchema }, async (request) => {
    const { key } = await access.keyManager(request);
    const confirm = () => secondFactors.confirm(key, request.body.code);
    return { recovery_codes: await loginLimits.limitAttempt(request, key.accountId, confirm) };
  });

  app.post('/v1/session/totp/recovery-codes', { schema: renewCodesSchema }, async (request) => {
    const { key } = await access.keyManager(request);
    const { current_password: password, code } = request.body;
    const renew = () => secondFactors.renewRecoveryCodes(key, { password, code });
    return { recovery_codes: await loginLimits.limitAttempt(request, key.accountId, renew) };
  });

  app.post('/v1/session/totp/remove', { schema: removeTotpSchema }, async (request) => {
    const { key } = await access.keyManager(request);
    const { current_password: password, code } = request.body;
    await loginLimits.limitAttempt(request, key.accountId, () => secondFactors.remove(key, { password, code }));
    return directory.find(key.accountId);
  });
}
