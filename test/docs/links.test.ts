import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm);
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
  return new Set([...headings].map(([, heading = '']) => slug(heading)));
}

it('finds the file and heading of every relative link in the documents', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'client/README.md',
    ...globSync(['docs/**/*.md', 'src/**/README.md'], { cwd: root }),
  ];
  const broken: string[] = [];
  for (const page of pages) {
    const prose = readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      if (!existsSync(file) || (anchor !== undefined && !anchorsOf(file).has(anchor))) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

it('has no picture of the dashboard in git that no document shows', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((page) => readFileSync(join(root, page), 'utf8'));
  const unused = globSync('docs/screenshots/*', { cwd: root }).filter((picture) => !pages.some((text) => text.includes(basename(picture))));
  expect(unused).toEqual([]);
});
