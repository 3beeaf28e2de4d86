import { SatchelError } from '../../api/client.ts';
import { optionsOf } from '../../parts/options.ts';
import { accounts as texts } from '../../texts/en-accounts.ts';

export const ROLES = optionsOf(texts.roles, ['member', 'operator'] as const);

/** Waits for a response. A rejection that operators meet often has a text that says what to do. */
export async function clear<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const text = error instanceof SatchelError ? texts.errors[error.type] : undefined;
    if (text !== undefined && error instanceof SatchelError) error.message = text;
    throw error;
  }
}
