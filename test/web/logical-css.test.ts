import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const sheets = globSync(['web/src/**/*.css', 'src/features/payer-pages/assets/*.css'], { cwd: root });

/** Its four corners are the same from both sides. */
const SYMMETRIC = 'web/src/screens/scan/scan.css';

/** Declarations that name a side of the screen instead of the beginning or the end of a line. */
const PHYSICAL =
  /(?:^|[\s{;])(?:(?:scroll-)?(?:margin|padding|border|inset)-(?:left|right)[\w-]*|border-(?:top|bottom)-(?:left|right)-radius|left|right|(?:text-align|float|clear):\s*(?:left|right))\s*[:;]/;

/** Four values whose second and fourth differ. */
const SIDES = /(?:^|[\s{;])(?:margin|padding|inset|border-(?:width|style|color)):\s*([^;()]+);/;

function hasUnequalSides(declaration: string): boolean {
  const [, right, , left] = SIDES.exec(declaration)?.[1]?.trim().split(/\s+/) ?? [];
  return left !== undefined && left !== right;
}

/** Four radii that are not the same on both sides. */
function hasUnequalCorners(declaration: string): boolean {
  const [a, b, c, d] = /border-radius:\s*([^;()]+);/.exec(declaration)?.[1]?.trim().split(/\s+/) ?? [];
  return d !== undefined && (a !== b || c !== d);
}

it('style sheets name the beginning and the end of lines, not left and right', () => {
  expect(sheets.length).toBeGreaterThan(40);
  const physical = sheets.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .split('\n')
      .filter((line) => PHYSICAL.test(line) || (file !== SYMMETRIC && (hasUnequalSides(line) || hasUnequalCorners(line))))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(physical).toEqual([]);
});

it('finds the declarations that it looks for', () => {
  const wrong = ['margin-left: 4px;', 'left: 0;', 'text-align: right;', 'float: left;', 'border-top-left-radius: 4px;', 'inset-left: 0;'];
  expect(wrong.filter((line) => !PHYSICAL.test(line))).toEqual([]);
  expect(['padding: 1px 2px 3px 4px;', 'margin: 0 0 0 auto;'].every(hasUnequalSides)).toBe(true);
  expect(['padding: 1px 2px 3px 2px;', 'margin: 0 auto;', 'padding: 4px;'].some(hasUnequalSides)).toBe(false);
  expect(hasUnequalCorners('border-radius: 6px 0 0 6px;')).toBe(true);
  expect(['margin-inline-start: 4px;', 'text-align: start;', 'transition: left 1s;'].some((line) => PHYSICAL.test(line))).toBe(false);
});
