import { SatchelError } from '../../api/client.ts';
import { t } from '../../texts/texts.ts';

export const ROLES = (['member', 'operator'] as const).map((value) => ({ value, label: t.accounts.roles[value] ?? value }));

/** Waits for a response. A rejection that operators meet often has a text that says what to do. */
export async function clear<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const text = error instanceof SatchelError ? t.accounts.errors[error.type] : undefined;
    if (text !== undefined && error instanceof SatchelError) error.message = text;
    throw error;
  }
}
