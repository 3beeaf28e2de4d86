import { common } from './en-common.ts';
import { keys } from './en-keys.ts';
import { logins } from './en-logins.ts';
import { operator } from './en-operator.ts';
import { wallets } from './en-wallets.ts';
import { webhooks } from './en-webhooks.ts';

/** The English texts, by screen. Texts with values are functions. */
export const en = {
  ...common,
  ...keys,
  ...logins,
  ...operator,
  ...wallets,
  ...webhooks,
};
