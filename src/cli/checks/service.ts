import { connect } from 'node:tls';
import { createClient, type SatchelClient } from '../../../client/satchel.js';
import type { Config } from '../../config.ts';
import { roughly } from '../../core/kernel/counted.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { type Finding, fail, ok, warn } from '../../features/operator/checks/finding.ts';
import { judgeUnknownHolds } from '../../features/operator/checks/nodes.ts';
import { isLocal, unknownProxy } from '../../features/operator/checks/settings.ts';
import { localUrl } from '../../service-addresses.ts';
import { type ReportedTime, timeFromDate } from './clock.ts';

const LIMIT_MS = 5_000;

/** An address of the documentation (RFC 5737), which no client has. */
const FORGED_ADDRESS = '203.0.113.7';

interface Answer {
  readonly version: unknown;
  readonly date: string | null;
}

/** Checks the service at its address on this machine, and how clients reach it. `key` is undefined if there is none. */
export async function checkService(config: Config, key: string | undefined): Promise<{ findings: Finding[]; times: ReportedTime[] }> {
  const url = localUrl(config);
  const local = await readVersion(url).catch(() => undefined);
  if (!local) {
    const remedy = 'Start it, or run the command with its settings (HOST, PORT and DATA_DIR).';
    return { findings: [fail('service', `it does not answer at ${url}`, remedy)], times: [] };
  }
  const readiness = await readReadiness(url);
  if (isLocal(config)) return { findings: [readiness, ...(await alertsOf(url, key))], times: [] };
  const open = await checkPublicUrl(config, key, local.version);
  return { findings: [readiness, ...open.findings, ...(await alertsOf(url, key))], times: open.times };
}

async function readVersion(url: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/version`, { signal: AbortSignal.timeout(LIMIT_MS), redirect: 'manual' });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return { version: await response.json(), date: response.headers.get('date') };
}

async function readReadiness(url: string): Promise<Finding> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LIMIT_MS) });
    const { database, node } = (await response.json()) as { database: string; node: string };
    const text = `it answers; database ${database}, nodes ${node}`;
    if (response.ok && node === 'ok') return ok('service', text);
    const remedy = 'Read its log, and the lines about the database and the nodes here.';
    return response.ok ? warn('service', text, remedy) : fail('service', text, remedy);
  } catch (error) {
    return fail('service', `/readyz failed: ${errorMessage(error)}`, 'Read its log.');
  }
}

/** Requests the service as clients do, through its proxy. */
async function checkPublicUrl(config: Config, key: string | undefined, version: unknown) {
  const { publicUrl, trustProxy } = config;
  const certificate = publicUrl.startsWith('https:') ? await checkCertificate(publicUrl) : [];
  const remedy = 'Check PUBLIC_URL, its DNS record, the proxy and the firewall.';
  const answer = await readVersion(publicUrl).catch((error) => errorMessage(error));
  if (typeof answer === 'string')
    return { findings: [...certificate, fail('public URL', `${publicUrl} does not reach the service (${answer})`, remedy)], times: [] };
  const times = timeFromDate('the proxy', answer.date);
  if (JSON.stringify(answer.version) !== JSON.stringify(version))
    return { findings: [...certificate, fail('public URL', `${publicUrl} is another version or another service`, remedy)], times };
  const reached = ok('public URL', `${publicUrl} reaches the service`);
  if (trustProxy === undefined) {
    return { findings: [...certificate, reached, unknownProxy()], times };
  }
  const isPrivate = publicUrl.startsWith('https:') && certificate.every(({ status }) => status !== 'fail');
  if (key === undefined || !isPrivate) {
    const text = 'the headers of the proxy were not checked';
    return {
      findings: [...certificate, reached, warn('proxy', text, 'The check needs https and an operator’s key in OPERATOR_KEY.')],
      times,
    };
  }
  return { findings: [...certificate, reached, await checkProxy(publicUrl, key)], times };
}

/** Sends a forged X-Forwarded-For: a client must not be able to choose its address. */
async function checkProxy(publicUrl: string, key: string): Promise<Finding> {
  try {
    const { operator } = createClient({ url: publicUrl, key, timeoutMs: LIMIT_MS, maxRetries: 0 });
    const { client_address: address } = await operator.getInstances({}, { headers: { 'x-forwarded-for': FORGED_ADDRESS } });
    return judgeProxy(address);
  } catch (error) {
    return warn('proxy', `its headers were not checked (${errorMessage(error)})`, 'Give an operator’s key in OPERATOR_KEY or --key-file.');
  }
}

export function judgeProxy(address: string): Finding {
  if (address === FORGED_ADDRESS) {
    const remedy = 'Lower TRUST_PROXY to the number of proxies, or let the first proxy replace X-Forwarded-For.';
    return fail('proxy', 'clients can claim any address with X-Forwarded-For', remedy);
  }
  return ok('proxy', `clients cannot choose their address; this one is ${address}`);
}

function checkCertificate(publicUrl: string): Promise<Finding[]> {
  const { hostname, port } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const remedy = 'Renew the certificate at the proxy, with its whole chain.';
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || 443), servername: host, rejectUnauthorized: false, timeout: LIMIT_MS });
    socket.on('secureConnect', () => {
      const { valid_from, valid_to } = socket.getPeerCertificate();
      const reason = socket.authorized ? undefined : String(socket.authorizationError);
      socket.destroy();
      resolve([
        reason === undefined
          ? judgeExpiry(Date.parse(valid_from), Date.parse(valid_to), Date.now())
          : fail('TLS', `clients reject the certificate (${reason})`, remedy),
      ]);
    });
    const failed = (reason: string) => resolve([fail('TLS', `no connection to ${host} (${reason})`, 'Check the proxy and the firewall.')]);
    socket.on('timeout', () => {
      socket.destroy();
      failed('timeout');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? 'failed'));
  });
}

/** Programs renew a certificate when a third of its validity is left, be that hours or months. */
export function judgeExpiry(validFromMs: number, expiresMs: number, nowMs: number): Finding {
  const leftMs = expiresMs - nowMs;
  const text = `the certificate is valid for ${roughly(leftMs / 1000)} more`;
  if (leftMs >= (expiresMs - validFromMs) / 3) return ok('TLS', text);
  return warn('TLS', text, 'Renew it now, and check why it was not renewed when a third of its validity was left.');
}

async function alertsOf(url: string, key: string | undefined): Promise<Finding[]> {
  if (key === undefined)
    return [warn('alerts', 'they were not read', 'Give an operator’s key in OPERATOR_KEY or --key-file, or read the dashboard.')];
  const service = createClient({ url, key, timeoutMs: LIMIT_MS, maxRetries: 0 });
  return [...(await checkAlerts(service)), ...(await checkUnknownHolds(service))];
}

/** A node that does not answer has a line of its own. */
async function checkUnknownHolds({ operator }: SatchelClient): Promise<Finding[]> {
  const nodes = await operator.getOverview().then(
    (overview) => overview.nodes,
    () => [],
  );
  const found = nodes.map(async ({ id }) => {
    const amounts: number[] = [];
    for await (const { num_msat } of operator.listUnknownHolds(id, { 'per-page': 100 })) amounts.push(num_msat);
    return judgeUnknownHolds(id, amounts);
  });
  return (await Promise.all(found.map((one) => one.catch(() => [])))).flat();
}

async function checkAlerts(service: SatchelClient): Promise<Finding[]> {
  try {
    const findings: Finding[] = [];
    for await (const { kind, subject, message, remedy } of service.operator.listAlerts({ status: 'open', 'per-page': 100 }))
      findings.push(fail('alerts', `${kind} ${subject}: ${message}`, remedy));
    return findings.length > 0 ? findings : [ok('alerts', 'none is open')];
  } catch (error) {
    return [warn('alerts', `they were not read (${errorMessage(error)})`, 'Give an operator’s key in OPERATOR_KEY or --key-file.')];
  }
}
