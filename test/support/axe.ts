import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { THEMES } from './chromium.ts';

/** The rules about colors. A theme changes nothing else, so the other rules are checked in one theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Returns what axe finds, one line for each element. By default it checks all rules. */
export async function violationsOn(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  const isLoaded = await page.evaluate<boolean>("'axe' in window");
  if (!isLoaded) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`));
}

/** The same without the rules about colors, which a language does not change. */
export function violationsOfTextsOn(page: Page): Promise<string[]> {
  return violationsOn(page, { rules: Object.fromEntries(COLOR_RULES.map((rule) => [rule, { enabled: false }])) });
}

/** Returns what axe finds in each theme. */
export async function violationsInThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    const violations = await violationsOn(page, theme === 'light' ? {} : { runOnly: COLOR_RULES });
    found.push(...violations.map((violation) => `${theme}: ${violation}`));
  }
  return found;
}
