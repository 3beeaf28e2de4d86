import { counted, roughly } from '../../../core/kernel/counted.ts';
import { type LastBackup, OLD_INTERVALS } from '../../backup/last-backup.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Without a schedule, a backup is old after a week. */
const OLD_SECONDS = 7 * 86_400;

export function judgeBackup(last: LastBackup | undefined, intervalSeconds: number, now: number): Finding {
  const remedy = 'Run `satchel backup`, and set BACKUP_DIR: the service then writes one every hour.';
  if (!last) return warn('backup', 'there is no backup: losing the disk loses the ledger', remedy);
  const age = now - last.createdAt;
  const text = `the last backup is ${roughly(age)} old`;
  if (age < 0) return warn('backup', 'the last backup is from the future', 'Correct the clock of this machine, then run `satchel backup`.');
  const limit = intervalSeconds === 0 ? OLD_SECONDS : OLD_INTERVALS * intervalSeconds;
  if (age <= limit) return ok('backup', text);
  return intervalSeconds === 0 ? warn('backup', text, remedy) : fail('backup', text, 'Read the alert backup_failed for the reason.');
}

export function judgeRecipients(recipients: readonly string[]): Finding {
  if (recipients.length > 0) return ok('backup', `encrypted to ${counted(recipients.length, 'key')}`);
  return warn(
    'backup',
    'backups are not encrypted',
    'Set BACKUP_RECIPIENTS to the public key of `age-keygen`, before backups leave this machine.',
  );
}

/** The settings of the address at which clients reach the service. */
export interface PublicAddress {
  readonly publicUrl: string;
  /** The hosts and ports at which the service itself listens. */
  readonly localHosts: readonly string[];
  readonly trustProxy: unknown;
}

/** Returns whether clients reach the service without a proxy, on this machine. */
export function isLocal({ publicUrl, localHosts }: PublicAddress): boolean {
  const { protocol, host } = new URL(publicUrl);
  return protocol === 'http:' && localHosts.includes(host);
}

/** Judges the settings of a public address without requests. */
export function judgePublicAddress(address: PublicAddress): Finding[] {
  const { publicUrl, trustProxy } = address;
  if (isLocal(address))
    return [
      warn(
        'public URL',
        `${publicUrl} is reachable only from this machine`,
        'Set PUBLIC_URL to the address at which clients reach the service.',
      ),
    ];
  const isEncrypted = publicUrl.startsWith('https:') || new URL(publicUrl).hostname.endsWith('.onion');
  return [
    isEncrypted
      ? ok('public URL', `clients use ${publicUrl}`)
      : fail('public URL', `${publicUrl} is not encrypted: keys can be read in transit`, 'Set PUBLIC_URL to an https address.'),
    ...(trustProxy === undefined ? [unknownProxy()] : []),
  ];
}

/** Without TRUST_PROXY behind a proxy, the limits per address count all clients as one. */
export function unknownProxy(): Finding {
  const text = 'TRUST_PROXY is not set, so all clients of the proxy share its address and its rate limit';
  return fail('proxy', text, 'Set TRUST_PROXY to the number or the addresses of the proxies.');
}

/** Judges where alerts are sent. */
export function judgeAlertChannels({ email, telegram }: { readonly email: unknown; readonly telegram: unknown }): Finding {
  const channels = [email !== undefined && 'email', telegram !== undefined && 'Telegram'].filter(Boolean);
  if (channels.length > 0) return ok('alerts', `alerts are sent by ${channels.join(' and ')}`);
  const remedy = 'Set SMTP_URL and ALERT_EMAIL_TO, or TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID.';
  return warn('alerts', 'alerts appear only in the dashboard, where they can be overlooked', remedy);
}
