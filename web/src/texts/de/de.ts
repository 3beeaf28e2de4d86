import type { Translation } from '../translation.ts';
import { accounts } from './accounts.ts';
import { activity } from './activity.ts';
import { alerts } from './alerts.ts';
import { amounts } from './amounts.ts';
import { apps } from './apps.ts';
import { channels } from './channels.ts';
import { common } from './common.ts';
import { desk } from './desk.ts';
import { developers } from './developers.ts';
import { errors } from './errors.ts';
import { fiat } from './fiat.ts';
import { filters } from './filters.ts';
import { found } from './found.ts';
import { imported } from './imported.ts';
import { keys } from './keys.ts';
import { lists } from './lists.ts';
import { logins } from './logins.ts';
import { money } from './money.ts';
import { operator } from './operator.ts';
import { paid } from './paid.ts';
import { payers } from './payers.ts';
import { payouts } from './payouts.ts';
import { phone } from './phone.ts';
import { playground } from './playground.ts';
import { policy } from './policy.ts';
import { print } from './print.ts';
import { push } from './push.ts';
import { service } from './service.ts';
import { setup } from './setup.ts';
import { shortcuts } from './shortcuts.ts';
import { steps } from './steps.ts';
import { wallets } from './wallets.ts';
import { webhooks } from './webhooks.ts';

/** The texts in German. */
export const language = {
  direction: 'ltr',
  errors,
  start: { ...common, ...keys, ...logins, ...operator, ...wallets, ...webhooks },
  accounts,
  activity,
  alerts,
  amounts,
  apps,
  channels,
  desk,
  service,
  developers,
  fiat,
  filters,
  found,
  imported,
  lists,
  money,
  paid,
  payers,
  payouts,
  phone,
  playground,
  policy,
  print,
  push,
  setup,
  shortcuts,
  steps,
} satisfies Translation;
