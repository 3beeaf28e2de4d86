import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Login } from './client.ts';

let onEnd: () => void = () => undefined;

/** The account and the session of the person who is logged in. */
export const SessionContext = createContext<Login | undefined>(undefined);

/** Returns who is logged in. Only for screens that need a login. */
export function useSession(): Login {
  const login = useContext(SessionContext);
  if (!login) throw new Error('The screen needs a session.');
  return login;
}

/** Sets what happens when the service no longer accepts the session. */
export function onSessionEnd(handler: () => void): void {
  onEnd = handler;
}

/** Shows the login in place of the screen. The address stays, so that the person continues there. */
export function endSession(): void {
  onEnd();
}
