import { createTransport } from 'nodemailer';
import { type AlertMessage, type Channel, ChannelError, quotable } from './channel.ts';
import type { EmailSettings } from './settings.ts';

/** How long a mail server may take. Tests shorten it. */
export interface EmailTiming {
  /** The time limit of each step: DNS lookup, connection and greeting. */
  readonly stepMs: number;
  readonly totalMs: number;
}

const TIMING: EmailTiming = { stepMs: 10_000, totalMs: 50_000 };
const MAX_RESPONSE_BYTES = 65_536;

/** These headers mark automatic messages, so that they get no automatic replies. */
const HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export interface EmailChannel extends Channel {
  /** Connects and logs in without a message. @throws ChannelError */
  check(): Promise<void>;
}

/** Returns the channel that sends alerts by e-mail. Each message uses a new connection. */
export function createEmailChannel(settings: EmailSettings, { stepMs, totalMs } = TIMING): EmailChannel {
  const { host, port, tls, user, password, from, to } = settings;
  const options = {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
    ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    // A server may check the content before it accepts the message.
    socketTimeout: totalMs,
    dnsTimeout: stepMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  };

  async function send({ subject, text }: AlertMessage, signal: AbortSignal): Promise<string | undefined> {
    const transport = createTransport(options);
    const timeout = AbortSignal.timeout(totalMs);
    try {
      const mail = { from, to: [...to], subject, text, headers: HEADERS, signal: AbortSignal.any([signal, timeout]) };
      const { rejected = [] } = await transport.sendMail(mail);
      return rejected.length === 0 ? undefined : `The mail server ${host} refused the recipient ${rejected.join(', ')}.`;
    } catch (error) {
      throw new ChannelError(timeout.aborted ? `The mail server ${host} ${REASONS.ETIMEDOUT}.` : reasonOf(error, settings));
    } finally {
      transport.close();
    }
  }

  async function check(): Promise<void> {
    const transport = createTransport(options);
    try {
      await transport.verify();
    } catch (error) {
      throw new ChannelError(reasonOf(error, settings));
    } finally {
      transport.close();
    }
  }

  return { name: 'email', recipient: to.join(', '), send, check };
}

/** The error codes of nodemailer, as the end of a sentence that begins with the mail server. */
const REASONS: Readonly<Record<string, string>> = {
  EDNS: 'has no address. Check the host in SMTP_URL',
  EAUTH: 'refused the user or the password of SMTP_URL',
  ENOAUTH: 'needs a user and a password in SMTP_URL',
  ETLS: 'offers no encryption (STARTTLS), or its certificate is not valid for this host',
  ETIMEDOUT: 'did not respond in time',
  EENVELOPE: 'refused the sender or the recipients',
};

/** Returns a sentence about an error. The response to a login is omitted, because it can repeat the password. */
function reasonOf(error: unknown, { host, user, password }: EmailSettings): string {
  const { code = '', response, message } = error as { code?: string; response?: string; message?: string };
  const sentence = `The mail server ${host} ${REASONS[code] ?? 'could not be reached, or refused the message'}.`;
  if (code === 'EAUTH') return sentence;
  const plain = [user ?? '', '\0', password ?? ''];
  const secrets = [password ?? '', base64(password ?? ''), base64(`\0${plain.join('')}`), base64(`\0${user}\0${password}`)];
  const detail = quotable(response ?? message ?? '', secrets);
  if (detail === '') return sentence;
  return `${sentence} ${response === undefined ? 'The reason' : 'Its response'}: ${detail}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
