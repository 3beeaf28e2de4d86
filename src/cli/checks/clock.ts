import { request as httpsRequest } from 'node:https';
import type { Config } from '../../config.ts';
import { isClnUrl, parseClnUrl } from '../../core/lightning/cln/url.ts';
import { isLndUrl, parseLndUrl } from '../../core/lightning/lnd/url.ts';
import { type Finding, fail, ok, warn } from '../../features/operator/checks/finding.ts';

const LIMIT_MS = 5_000;

/** Invoices expire, keys and sessions end, and budgets begin by this clock. */
const WARN_MS = 5_000;
const FAIL_MS = 60_000;

/** A time that another machine reported, and when it arrived. */
export interface ReportedTime {
  readonly source: string;
  readonly theirMs: number;
  readonly ourMs: number;
}

/** Compares the clock with the times that others reported, and with the monotonic clock since `start`. */
export function checkClock(times: readonly ReportedTime[], steppedMs: number): Finding[] {
  const remedy = 'Run a time service (chrony or systemd-timesyncd) on each machine: invoices, keys and limits depend on the time.';
  if (Math.abs(steppedMs) > 1000) return [warn('clock', `it jumped by ${seconds(steppedMs)} s during the check`, remedy)];
  if (times.length === 0) return [ok('clock', 'it did not jump; no other machine reported its time')];
  return times.map(({ source, theirMs, ourMs }) => {
    // HTTP has whole seconds.
    const skewMs = ourMs - theirMs;
    const text = `${seconds(Math.abs(skewMs))} s ${skewMs < 0 ? 'behind' : 'ahead of'} ${source}`;
    if (Math.abs(skewMs) < WARN_MS) return ok('clock', `agrees with ${source}`);
    return Math.abs(skewMs) < FAIL_MS ? warn('clock', text, remedy) : fail('clock', text, remedy);
  });
}

/** Returns a function that measures how far the clock was changed since this call. */
export function watchSteps(): () => number {
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  return () => Date.now() - wallMs - (performance.now() - steadyMs);
}

export function timeFromDate(source: string, date: string | null | undefined): ReportedTime[] {
  const theirMs = Date.parse(date ?? '');
  return Number.isNaN(theirMs) ? [] : [{ source, theirMs, ourMs: Date.now() }];
}

/** Returns the times of the nodes that are reached over HTTP. The request has no credential, so any certificate will do. */
export async function timesOfNodes({ lightningUrls }: Pick<Config, 'lightningUrls'>): Promise<ReportedTime[]> {
  const found = await Promise.all(lightningUrls.map(async (url) => timeFromDate('the node', await dateOfNode(url))));
  return found.flat();
}

async function dateOfNode(url: string): Promise<string | undefined> {
  try {
    const address = isLndUrl(url) ? parseLndUrl(url) : isClnUrl(url) ? parseClnUrl(url) : undefined;
    if (!address || !('host' in address)) return undefined;
    const { host, port } = address;
    return await new Promise((resolve, reject) => {
      const request = httpsRequest({ host, port, method: 'HEAD', path: '/', rejectUnauthorized: false, timeout: LIMIT_MS });
      request.on('timeout', () => request.destroy(new Error('timeout')));
      request.on('error', reject);
      request.on('response', (response) => {
        response.resume();
        resolve(response.headers.date);
      });
      request.end();
    });
  } catch {
    // The check of the nodes reports why.
    return undefined;
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
