import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

interface Failure {
  readonly message: string;
  readonly diff?: string | undefined;
  readonly stacks?: readonly { readonly file: string; readonly line: number }[] | undefined;
}

/** A reporter that appends each failed test to a file, with the first lines of its errors: a list that is short enough for the end of a log. */
export function failureList(path: string): Reporter {
  const report = (name: string, failures: readonly Failure[] = []) => {
    if (failures.length > 0) appendFileSync(path, `✗ ${name}\n${failures.map(summaryOf).join('')}`);
  };
  return {
    onTestModuleEnd(module) {
      for (const { name, failures } of failuresOf(module)) report(`${module.relativeModuleId} > ${name}`, failures);
    },
    onTestRunEnd(_modules, unhandled) {
      report('outside of the tests', unhandled);
    },
  };
}

function* failuresOf(module: TestModule): Generator<{ name: string; failures: readonly Failure[] | undefined }> {
  yield { name: 'the file', failures: module.errors() };
  for (const suite of module.children.allSuites()) yield { name: suite.fullName, failures: suite.errors() };
  for (const test of module.children.allTests('failed')) yield { name: test.fullName, failures: test.result().errors };
}

function summaryOf({ message, diff = '', stacks: [place] = [] }: Failure): string {
  const differences = stripVTControlCharacters(diff)
    .split('\n')
    .filter((line) => /^[-+] (?!Expected$|Received$)/.test(line));
  const at = place ? [`at ${place.file}:${place.line}`] : [];
  return [...startOf(message.split('\n')), ...startOf(differences), ...at].map((line) => `    ${line.slice(0, MAX_LENGTH)}\n`).join('');
}

function startOf(lines: readonly string[]): string[] {
  return lines.filter((line) => line.trim() !== '').slice(0, MAX_LINES);
}

const MAX_LINES = 6;
const MAX_LENGTH = 300;
