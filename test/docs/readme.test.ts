import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

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
