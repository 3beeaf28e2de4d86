import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Markup, a character that turns the direction of the text behind it, letters of another direction, and a long word. */
export const HOSTILE = `<img src=x onerror=injected()><b class=injected><script>injected()</script>\u202Egnirts אבג${'W'.repeat(40)}`;

const DESKTOP = { width: 1280, height: 800 };
const NARROW = { width: 320, height: 700 };

/**
 * Expects that texts from outside are shown as text: they create no element, do not change the direction of the text around them, and do not
 * make the page wider than the window, also on the narrowest phone. A script that runs, and a violation of the Content-Security-Policy, are
 * problems that the browser reports.
 * @returns whether the page shows markup
 */
export async function expectTextsOnly(page: Page): Promise<boolean> {
  let isShown = false;
  for (const size of [NARROW, DESKTOP]) {
    await page.setViewportSize(size);
    // Some parts are rendered again for another width.
    await page.evaluate('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))');
    const { isMarkupShown, ...found } = await page.evaluate<Found>(FIND);
    expect(found).toEqual({ elements: [], notIsolated: [], turned: [], tooWide: [] });
    isShown ||= isMarkupShown;
  }
  return isShown;
}

interface Found {
  readonly isMarkupShown: boolean;
  /** Elements that a text has created. */
  readonly elements: string[];
  readonly notIsolated: string[];
  /** Texts with a character that turns the direction of the text behind it. */
  readonly turned: string[];
  readonly tooWide: string[];
}

/** Runs in the page. Text is isolated inside `bdi` or in a field. */
const FIND = `(() => {
  const start = ({ outerHTML }) => outerHTML.slice(0, 300);
  const notIsolated = [];
  const turned = [];
  let isMarkupShown = false;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!parentElement.checkVisibility()) continue;
    if (data.includes('<img src=x')) isMarkupShown = true;
    if (data.includes('\\u202E') && !parentElement.closest('textarea, option')) turned.push(start(parentElement));
    if (/<img src=x|\\u202E|אבג/.test(data) && !parentElement.closest('bdi, textarea, option, [dir=auto]')) notIsolated.push(start(parentElement));
  }
  const boxes = [document.documentElement, ...document.querySelectorAll('dialog[open]')];
  const tooWide = boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => {
    const limit = box.getBoundingClientRect().left + box.clientWidth;
    const isBeyond = (one) => one.getBoundingClientRect().right > limit + 1 && one.checkVisibility();
    const isClipped = (one) => one !== box && (getComputedStyle(one).overflowX !== 'visible' || isClipped(one.parentElement));
    const inside = [...box.querySelectorAll('main *, dialog *')].filter((one) => isBeyond(one) && !isClipped(one.parentElement));
    return innerWidth + ': ' + start(inside.at(-1) ?? box);
  });
  return { isMarkupShown, elements: [...document.querySelectorAll('.injected, [onerror]')].map(start), notIsolated, turned, tooWide };
})()`;

/**
 * Opens the rows of the page in turn, and what is cut in them. Of rows that differ only in numbers, such as events of one type and wallet, it
 * opens the first. @returns whether a row shows markup
 */
export async function expectTextsOnlyInRows(page: Page): Promise<boolean> {
  let isShown = false;
  const rows = page.locator('main table tr:has([aria-expanded])');
  const texts = (await rows.allTextContents()).map((text) => text.replace(/\d+/g, ''));
  for (const [row, text] of texts.entries()) {
    if (texts.indexOf(text) < row) continue;
    await rows.nth(row).locator('[aria-expanded]').click();
    await page.locator('main table [aria-expanded=true]').waitFor();
    const cut = page.locator('main .show-all');
    while ((await cut.count()) > 0) await cut.first().click();
    if (await expectTextsOnly(page)) isShown = true;
  }
  return isShown;
}
