import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Business, fillBusiness } from '../support/business.ts';
import { onDashboard } from '../support/dashboard.ts';
import { layoutProblems } from '../support/layout.ts';
import { findOnAllScreens, visit } from '../support/screens.ts';

/** The layout, as a language that is written from right to left has it. */
const FROM_THE_RIGHT = "document.documentElement.dir = 'rtl'";

/** On which side of its column the text of an element begins, and in which direction it is read. */
const SIDES = `(selector) => {
  const element = document.querySelector(selector);
  const range = document.createRange();
  range.selectNodeContents(element);
  const text = range.getBoundingClientRect();
  return { center: (text.left + text.right) / 2 / innerWidth, direction: getComputedStyle(element).direction };
}`;

onDashboard(
  'from right to left',
  ({ client, net, open, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    it('nothing is wider than the page on any screen', async () => {
      const options = { context: { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' } } as const;
      const find = async (page: Page) => {
        await page.evaluate(FROM_THE_RIGHT);
        return layoutProblems(page, [390, 1280]);
      };
      expect(await findOnAllScreens({ open, openLoggedIn }, options, business, find)).toEqual({});
    });

    it('the menu is on the right, and amounts are read from the left', async () => {
      const page = await openLoggedIn();
      await visit(page, `/wallets/${business.wallet}`);
      await page.evaluate(FROM_THE_RIGHT);
      const sides = (selector: string) => page.evaluate<{ center: number; direction: string }>(`(${SIDES})('${selector}')`);
      expect((await sides('nav')).center).toBeGreaterThan(0.8);
      expect(await sides('.hero-amount .amount-text')).toMatchObject({ direction: 'ltr' });
      expect((await sides('h1')).direction).toBe('rtl');
      const style = await page.evaluate<string[]>(`(() => {
        const negative = [...document.querySelectorAll('.amount-text')].find((element) => element.textContent.includes('\u2212'));
        const { direction, unicodeBidi } = getComputedStyle(negative);
        return [direction, unicodeBidi];
      })()`);
      expect(style).toEqual(['ltr', 'isolate']);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
