import type { Config } from '../../config.ts';
import { withTimeout } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { createEmailChannel } from '../../features/notifications/email.ts';
import { type Finding, fail, ok } from '../../features/operator/checks/finding.ts';

const LIMIT_MS = 5_000;

/** Checks what the service reaches elsewhere: the relays of connected apps, and the mail server of alerts. */
export async function checkOutside({ nwc, notifications, publicUrl }: Config): Promise<{ findings: Finding[] }> {
  // The relay of the playground is a part of the service.
  const own = `${publicUrl.replace(/^http/, 'ws')}/`;
  const relays = await Promise.all(nwc.relays.filter((url) => !url.startsWith(own)).map(checkRelay));
  return { findings: [...relays, ...(notifications.email === undefined ? [] : [await checkMail(notifications.email)])] };
}

async function checkRelay(url: string): Promise<Finding> {
  const { host } = new URL(url);
  const socket = new WebSocket(url);
  try {
    await withTimeout(LIMIT_MS, opened(socket));
    return ok('relay', `${host} answers`);
  } catch (error) {
    const remedy = 'Connected apps receive nothing through it. Check NWC_RELAYS and the firewall, or choose another relay.';
    return fail('relay', `${host} cannot be reached (${errorMessage(error)})`, remedy);
  } finally {
    socket.close();
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the connection failed')));
  });
}

async function checkMail(settings: Parameters<typeof createEmailChannel>[0]): Promise<Finding> {
  try {
    await createEmailChannel(settings, { stepMs: LIMIT_MS, totalMs: 2 * LIMIT_MS }).check();
    return ok('alerts', `the mail server ${settings.host} accepts the login`);
  } catch (error) {
    return fail('alerts', errorMessage(error).replace(/\.$/, ''), 'Correct SMTP_URL, then run `satchel alert test`.');
  }
}
