import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Outbound } from '../../core/outbound/outbound.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { renderAlerts } from '../operator/alert-object.ts';
import { createEmailChannel, type EmailTiming } from './email.ts';
import { createNotifications, type NotificationOptions, type NotificationTiming } from './notifications.ts';
import type { EmailSettings, TelegramSettings } from './settings.ts';
import { createTelegramChannel } from './telegram.ts';

/** Replaced by tests. */
export interface NotificationModuleTiming extends Partial<NotificationTiming> {
  readonly email?: EmailTiming;
  /** The API of Telegram. */
  readonly telegramApi?: string;
}

interface NotificationModuleOptions extends Pick<NotificationOptions, 'database' | 'alerts' | 'clock' | 'log' | 'publicUrl'> {
  readonly email: EmailSettings | undefined;
  readonly telegram: TelegramSettings | undefined;
  readonly outbound: Outbound;
  readonly wallets: Wallets;
  readonly connections: NodeConnections;
  readonly timing?: NotificationModuleTiming | undefined;
}

/** Creates the notifications over the channels that the operator has configured. */
export function createNotificationModule({
  email,
  telegram,
  outbound,
  wallets,
  connections,
  timing,
  ...options
}: NotificationModuleOptions) {
  const channels = [
    ...(email ? [createEmailChannel(email, timing?.email)] : []),
    ...(telegram ? [createTelegramChannel({ ...telegram, outbound, api: timing?.telegramApi })] : []),
  ];
  return createNotifications({ ...options, channels, timing, render: (alerts) => renderAlerts({ wallets, connections }, alerts) });
}
