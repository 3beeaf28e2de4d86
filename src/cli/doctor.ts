import type { Command } from 'commander';
import { counted } from '../core/kernel/counted.ts';
import type { Finding } from '../features/operator/checks/finding.ts';
import { connectionOf, type ServiceOptions, withKey } from './service.ts';
import { EXIT, localAction, verb } from './verb.ts';

/** `satchel doctor`: checks the machine, the settings and the service, and says for each line what to do. */
export function addDoctor(program: Command): void {
  const doctor = verb(program, {
    name: 'doctor',
    summary: 'Check the machine, the database, the nodes and the service',
    details:
      'It checks the clock, disk, files, database, nodes, proxy, certificate and open alerts. Each line is ok, warn or fail, with what to do ' +
      'next. It works while the service is stopped; at each node it creates and cancels an invoice of 1 sat. Exit code 1: a line failed.',
    example: 'doctor',
  });
  withKey(doctor).action(
    localAction<ServiceOptions>('The checks did not run: ', async ({ output, options }) => {
      const [{ readConfig }, { runChecks }] = await Promise.all([import('../config.ts'), import('./checks/checks.ts')]);
      const config = readConfig(process.env);
      const findings = await runChecks(config, keyOf(options), (subject) => output.progress(`checking the ${subject} …`));
      output.progress('');
      if (output.isJson) await output.list(findings, [], '');
      else await output.write(textOf(findings));
      return findings.some(({ status }) => status === 'fail') ? EXIT.refused : EXIT.done;
    }),
  );
}

/** Returns the operator's key; undefined if there is none, because most checks need none. */
function keyOf(options: ServiceOptions): string | undefined {
  try {
    return connectionOf(options).key;
  } catch (error) {
    if (options.keyFile !== undefined) throw error;
    return undefined;
  }
}

function textOf(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ status, subject, text, remedy }) =>
      `${status.padEnd(4)}  ${subject.padEnd(10)}  ${text}\n${remedy === null ? '' : `${' '.repeat(18)}→ ${remedy}\n`}`,
  );
  const count = (status: Finding['status']) => findings.filter((one) => one.status === status).length;
  return `${lines.join('')}\n${counted(count('fail'), 'failure')}, ${counted(count('warn'), 'warning')}.\n`;
}
