import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Login } from './client.ts';

/** `expired`: the service no longer accepts the session. `loggedOut`: the person has ended it. */
export type SessionEnd = 'expired' | 'loggedOut';

let onEnd: (end: SessionEnd) => void = () => undefined;

/** The account and the session of the person who is logged in. */
export const SessionContext = createContext<Login | undefined>(undefined);

/** Returns who is logged in. Only for screens that need a login. */
export function useSession(): Login {
  const login = useContext(SessionContext);
  if (!login) throw new Error('The screen needs a session.');
  return login;
}

/** Sets what happens when the session ends. */
export function onSessionEnd(handler: (end: SessionEnd) => void): void {
  onEnd = handler;
}

/** Shows the login in place of the screen. The address stays, so that the person continues there. */
export function endSession(end: SessionEnd = 'expired'): void {
  onEnd(end);
}
