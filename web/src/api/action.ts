import { useRef, useState } from 'preact/hooks';
import { t, textOfError } from '../texts/texts.ts';
import { isLoggedOut, SatchelError } from './client.ts';
import { endSession } from './session.tsx';

export interface Action<Input> {
  /** Starts the action, unless it is running: a double click has one effect. */
  run(input: Input): void;
  readonly isBusy: boolean;
  /** Why the last run failed, for people. */
  readonly error: string | undefined;
  clearError(): void;
}

/**
 * Runs a request that a person starts with a button. Not for payments, whose outcome may be unknown. `endsWithSession`: whether a 401 means that
 * the session has ended; on the pages before the login it does not.
 */
export function useAction<Input = void>(
  action: (input: Input) => Promise<unknown>,
  { endsWithSession = true }: { endsWithSession?: boolean } = {},
): Action<Input> {
  const isRunning = useRef(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string>();

  async function run(input: Input) {
    if (isRunning.current) return;
    isRunning.current = true;
    setIsBusy(true);
    setError(undefined);
    try {
      await action(input);
    } catch (reason) {
      if (endsWithSession && isLoggedOut(reason)) endSession();
      setError(errorText(reason));
    } finally {
      setIsBusy(false);
      // After the button is enabled again: a second click in the same turn of the event loop starts nothing.
      setTimeout(() => {
        isRunning.current = false;
      });
    }
  }

  return { run: (input) => void run(input), isBusy, error, clearError: () => setError(undefined) };
}

/** Returns an error as text: that of the service, which says what to do, or that it did not answer. */
export function errorText(error: unknown): string {
  return error instanceof SatchelError ? textOfError(error) : t.common.noAnswer;
}
