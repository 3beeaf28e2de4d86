import type { Config } from '../../config.ts';
import { type Finding, fail, ok, warn } from '../../features/operator/checks/finding.ts';
import { remedyFor } from '../../features/operator/checks/nodes.ts';
import { checkNodes } from '../node-check.ts';

/** Checks each node of LIGHTNING_URL and the rights of its credential, as `satchel node check` does. */
export async function checkLightning({ lightningUrls }: Config): Promise<Finding[]> {
  if (lightningUrls.includes('playground:')) return [ok('node', 'the playground, a private test network in the process of the service')];
  const nodes = await checkNodes();
  return nodes.flatMap(({ findings, reason }) => {
    if (reason !== null) return [fail('node', reason.replace(/\.$/, ''), remedyFor(reason))];
    const bad = findings.filter(({ isGood, heading }) => !isGood && heading !== '');
    const [found] = findings;
    if (bad.length === 0) return [ok('node', `${found?.text ?? 'it'}: usable, and its credential permits what is needed and no more`)];
    return bad.map(({ heading, text }) =>
      warn('node', `${heading.toLowerCase()}: ${text}`, 'Run `satchel node check`: it prints what to change.'),
    );
  });
}
