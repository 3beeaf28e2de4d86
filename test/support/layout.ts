import type { Page } from 'playwright-core';

/** Waits for two frames, so that a new width is laid out. */
const LAID_OUT = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))))';

/** What scrolls sideways by design, hidden texts, and what lies in them. */
const PROBLEMS = `(() => {
  const root = document.documentElement;
  const problems = [];
  const name = (element) => element.tagName.toLowerCase() + '.' + String(element.className.baseVal ?? element.className).replaceAll(' ', '.');
  if (root.scrollWidth > root.clientWidth) {
    const wide = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (right > root.clientWidth + 1 || left < -1) && !element.closest('.code, .tabs, .segments, .skip-link, .visually-hidden, svg');
    });
    problems.push('the page is ' + root.scrollWidth + ' px wide: ' + wide.slice(0, 4).map(name).join(' '));
  }
  for (const sheet of document.querySelectorAll('dialog[open]'))
    if (sheet.scrollWidth > sheet.clientWidth) problems.push('the sheet is ' + sheet.scrollWidth + ' px wide');
  for (const button of document.querySelectorAll('button, a.button')) {
    const { left, right, width } = button.getBoundingClientRect();
    if (width === 0 || button.closest('.visually-hidden, .tabs, .segments, .code, .skip-link')) continue;
    const text = button.textContent.trim();
    if (text !== '' && button.scrollWidth > button.clientWidth + 1) problems.push('cut: "' + text + '"');
    if (left < -1 || right > root.clientWidth + 1) problems.push('outside: "' + text + '"');
  }
  return problems;
})()`;

/** Returns what does not fit at some widths: a page or a sheet that scrolls sideways, a button that is cut or lies outside. */
export async function layoutProblems(page: Page, widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(LAID_OUT);
    found.push(...(await page.evaluate<string[]>(PROBLEMS)).map((problem) => `${width} px: ${problem}`));
  }
  return found;
}
