import type { Config } from '../../config.ts';
import { checkDisk, checkFiles } from '../../features/operator/checks/files.ts';
import type { Finding } from '../../features/operator/checks/finding.ts';
import { judgeNodeVersion } from '../../features/operator/checks/node-version.ts';
import { checkBackups } from './backups.ts';
import { checkClock, type ReportedTime, timesOfNodes, watchSteps } from './clock.ts';
import { checkDatabase } from './database.ts';
import { checkLightning } from './nodes.ts';
import { checkOutside } from './outside.ts';
import { checkSecretKey } from './secret-key.ts';
import { checkService } from './service.ts';

interface Result {
  readonly findings: readonly Finding[];
  readonly times?: readonly ReportedTime[];
}

/** Runs all checks one after the other. The clock is compared last, with the times that the others found. */
export async function runChecks(config: Config, key: string | undefined, onStart: (subject: string) => void): Promise<Finding[]> {
  const readSteps = watchSteps();
  const checks: readonly [subject: string, check: () => Promise<Result>][] = [
    ['runtime', async () => ({ findings: [judgeNodeVersion()] })],
    ['disk', async () => ({ findings: checkDisk(config.dataDir) })],
    ['files', async () => ({ findings: checkFiles(config.dataDir) })],
    ['database', () => checkDatabase(config)],
    ['secret key', () => checkSecretKey(config)],
    ['backups', () => checkBackups(config)],
    ['nodes', async () => ({ findings: await checkLightning(config), times: await timesOfNodes(config) })],
    ['service', () => checkService(config, key)],
    ['relays and the mail server', () => checkOutside(config)],
  ];
  const findings: Finding[] = [];
  const times: ReportedTime[] = [];
  for (const [subject, check] of checks) {
    onStart(subject);
    const result = await check();
    findings.push(...result.findings);
    times.push(...(result.times ?? []));
  }
  return [...checkClock(times, readSteps()), ...findings];
}
