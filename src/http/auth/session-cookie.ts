import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_SECONDS, SESSION_SECRET_LENGTH } from '../../core/accounts/sessions.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The name of the cookie with the secret of a session. */
    sessionCookie: string;
  }
}

/** Browsers let only this host set a `__Host-` cookie, and only over https. */
export function sessionCookieName(isHttps: boolean): string {
  return isHttps ? '__Host-satchel_session' : 'satchel_session';
}

const SECRET = new RegExp(`^[0-9A-Za-z]{${SESSION_SECRET_LENGTH}}$`);

/** Returns the secret of the session in the cookie of a request (RFC 6265); undefined if there is none, or several that differ. */
export function sessionSecret({ headers, server }: FastifyRequest): string | undefined {
  if (headers.cookie === undefined) return undefined;
  const prefix = `${server.sessionCookie}=`;
  const values = headers.cookie
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(prefix))
    .map((one) => one.slice(prefix.length));
  const [value, ...others] = new Set(values);
  return value !== undefined && others.length === 0 && SECRET.test(value) ? value : undefined;
}

/** Stores the secret in the browser. `Strict`: pages of other sites cause no request with the cookie. */
export function setSessionCookie(reply: FastifyReply, secret: string): void {
  reply.header('set-cookie', cookie(reply, secret, SESSION_SECONDS));
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('set-cookie', cookie(reply, '', 0));
}

function cookie({ server }: FastifyReply, value: string, maxAgeSeconds: number): string {
  const name = server.sessionCookie;
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
