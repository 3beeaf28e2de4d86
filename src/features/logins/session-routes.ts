import { Type } from 'typebox';
import type { App } from '../../http/app-type.ts';
import { clearSessionCookie } from '../../http/auth/session-cookie.ts';
import { Email, emailText, requestBody } from '../../http/fields.ts';
import type { QueuedCaller } from '../../http/limits/fair-queue.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import {
  COOKIE,
  Code,
  FOR_OWN_PAGES,
  LoginObject,
  type LoginRouteModules,
  NewPassword,
  NO_REPLAY,
  OWN_LOGIN,
  OWN_SESSION,
  Password,
  renderSession,
  SessionObject,
  STARTS_SESSION,
  userAgentOf,
} from './session-object.ts';

const logInSchema = {
  ...STARTS_SESSION,
  operationId: 'logIn',
  summary: 'Log in with e-mail and password',
  description: `${COOKIE} For pages of this service only. ${NO_REPLAY}`,
  body: requestBody({ email: Email, password: Password, code: Type.Optional(Code) }),
};

const whoSchema = {
  ...OWN_SESSION,
  operationId: 'getSession',
  summary: 'Read the account and the session of this request',
  response: { 200: LoginObject },
};

const logOutSchema = {
  ...OWN_SESSION,
  operationId: 'logOut',
  summary: 'Log out',
  description: 'Ends the session of this request and clears its cookie. With an API key nothing changes.',
  response: { 200: LoginObject },
  responseHeaders: ['Set-Cookie'],
};

const passwordSchema = {
  ...OWN_LOGIN,
  operationId: 'changePassword',
  summary: 'Change the password',
  description: `All other sessions of the account end. ${NO_REPLAY}`,
  body: requestBody({
    current_password: { ...Password, description: 'The present password' },
    new_password: NewPassword,
  }),
  response: { 200: LoginObject },
};

const listSchema = {
  ...OWN_LOGIN,
  operationId: 'listSessions',
  summary: 'List the sessions of the account',
  querystring: ListQuery,
  response: { 200: Type.Array(SessionObject) },
};

const revokeSchema = {
  ...OWN_LOGIN,
  operationId: 'revokeSession',
  summary: 'End a session',
  params: Type.Object({ id: Type.String({ description: 'The `ses_` id of the session' }) }),
  response: { 200: SessionObject },
};

/** Without Idempotency-Keys: their rows would have a fast hash of the body, and so of a password. */
export function sessionRoutes(app: App, { access, logins, sessions, loginLimits, loginResponses }: LoginRouteModules): void {
  app.post('/v1/session', { schema: logInSchema, config: FOR_OWN_PAGES }, async (request, reply) => {
    const email = emailText(request.body.email);
    const { password, code } = request.body;
    const logIn = (caller: QueuedCaller) => logins.logIn({ email, password, code }, userAgentOf(request), caller);
    const started = await loginLimits.limitAttempt(request, email, logIn);
    return loginResponses.sendStarted(reply, started);
  });

  app.get('/v1/session', { schema: whoSchema }, async (request) => loginResponses.read((await access.secretApiKey(request)).key));

  app.delete('/v1/session', { schema: logOutSchema }, async (request, reply) => {
    const { key } = await access.secretApiKey(request);
    if (key.isSession) {
      clearSessionCookie(reply);
      await sessions.revoke(key, key.id);
    }
    return loginResponses.read(key);
  });

  app.post('/v1/session/password', { schema: passwordSchema }, async (request) => {
    const { key } = await access.keyManager(request);
    const { current_password: current, new_password: next } = request.body;
    await loginLimits.limitAttempt(request, key.accountId, () => logins.changePassword(key, { current, next }));
    return loginResponses.read(key);
  });

  app.get('/v1/sessions', { schema: listSchema }, async (request, reply) => {
    const { key } = await access.keyManager(request);
    return sendList(request, reply, sessions.list(key.accountId), (session) => renderSession(session, key.id));
  });

  app.delete('/v1/sessions/:id', { schema: revokeSchema }, async (request) => {
    const { key } = await access.keyManager(request);
    return renderSession(await sessions.revoke(key, request.params.id), key.id);
  });
}
