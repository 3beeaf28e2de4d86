import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

it('keeps the README below 800 words, apart from its code', () => {
  const prose = README.replace(/```[\s\S]*?```/g, '');
  expect(prose.split(/\s+/).length).toBeLessThan(800);
});

it('begins the README with commands that start the service and move money', () => {
  const [start = '', money = ''] = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
  expect(start).toBe('npm start\n');
  expect(money).toMatch(/\/playground\/fund [\s\S]*\/withdraw /);
});

/** Returns the commands that load a release from a registry. They work only when somebody publishes releases. */
function registryCommands(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
  return blocks.flatMap((commands) => commands.split('\n').filter((line) => /^(docker run|podman run|npx) /.test(line)));
}

/** Returns what is wrong with the README of a project with an address, which is empty until somebody owns one. */
function missingCommands(readme: string, homepage: string): string[] {
  const commands = registryCommands(readme);
  if (homepage === '') return commands.map((line) => `${line}: nothing is published`);
  return ['docker run', 'npx'].filter((start) => !commands.some((line) => line.startsWith(start)));
}

it('shows commands that load a release only if package.json has the address of the project', () => {
  expect(missingCommands(README, packageJson.homepage)).toEqual([]);
  const released = '```sh\nnpx satchel\n```\n```sh\ndocker run -v data:/data example.org/satchel\n```\n';
  expect(missingCommands(released, '')).toHaveLength(2);
  expect(missingCommands(released, 'https://example.org/satchel')).toEqual([]);
  expect(missingCommands(README, 'https://example.org/satchel')).toEqual(['docker run', 'npx']);
});

it('states the supported versions before the first command', () => {
  const beginning = README.slice(0, README.indexOf('```sh'));
  expect(beginning).toMatch(
    /Linux .* SQLite or PostgreSQL \d+ to \d+, and LND from [\d.]+ or Core\s+Lightning from [\d.]+\. In a clone, with Node \d+/s,
  );
  const accepted = readFileSync(new URL('../../docs/lightning.md', import.meta.url), 'utf8');
  const [, lnd, cln] = /accepted versions \| (\S+) and later \| (\S+) and later/.exec(accepted) ?? [];
  expect(beginning).toContain(`LND from ${lnd}`);
  expect(beginning).toMatch(new RegExp(`Core\\s+Lightning from ${cln}\\.`));
});
