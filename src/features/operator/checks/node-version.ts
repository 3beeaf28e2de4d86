import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, ok, warn } from './finding.ts';

const PACKAGE = join(import.meta.dirname, '..', '..', '..', '..', 'package.json');

/** The versions of Node with all security fixes that were known at the release, such as `^24.22.1 || >=26.12.1`. */
export const ACCEPTED_NODES = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { engines: { node: string } }).engines.node;

/** Judges the version of Node, such as `v24.22.3`, that runs the service. */
export function judgeNodeVersion(version = process.version, accepted = ACCEPTED_NODES): Finding {
  const name = `Node ${version.replace(/^v/, '')}`;
  if (isAccepted(version, accepted)) return ok('runtime', name);
  return warn(
    'runtime',
    `${name} lacks security fixes`,
    `Install Satchel with its optional packages, which bring a fixed Node, or Node ${accepted}. Then start the service again.`,
  );
}

/** Returns whether a version is in one of the ranges, each of which is `^24.22.1` or `>=26.12.1`. */
function isAccepted(version: string, accepted: string): boolean {
  const found = numbersOf(version);
  return accepted.split('||').some((range) => {
    const from = numbersOf(range);
    return compare(found, from) >= 0 && (range.includes('>=') || found[0] === from[0]);
  });
}

function numbersOf(text: string): readonly number[] {
  return (/\d+\.\d+\.\d+/.exec(text)?.[0] ?? '0.0.0').split('.').map(Number);
}

function compare(a: readonly number[], b: readonly number[]): number {
  return a.map((part, index) => part - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
