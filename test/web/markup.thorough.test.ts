import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Business, fillBusiness } from '../support/business.ts';
import { onDashboard } from '../support/dashboard.ts';
import { existingExamples, visit } from '../support/screens.ts';

/** Markup, and a character that turns the direction of the text behind it. */
const HOSTILE = '<img src=x onerror=injected()><b class=injected>\u202Egnirts';

onDashboard(
  'markup in texts from outside is text',
  ({ client, net, openLoggedIn }) => {
    let business: Business;
    const shown = new Set<string>();
    beforeAll(async () => {
      business = await fillBusiness({ client, net, text: (plain) => HOSTILE + plain });
    });
    afterAll(() => business.close());

    it.each(existingExamples().filter(({ isPublic }) => !isPublic))('on $name', async ({ name, address }) => {
      const page = await openLoggedIn();
      await visit(page, address(business));
      // The details of the first row.
      const rows = page.locator('main [aria-expanded=false]');
      if ((await page.locator('dialog[open]').count()) === 0 && (await rows.count()) > 0) await rows.first().click();
      const found = await page.evaluate<{ isShown: boolean; elements: number; notIsolated: string[] }>(FIND);
      expect(found.elements).toBe(0);
      expect(found.notIsolated).toEqual([]);
      if (found.isShown) shown.add(name);
    });

    it('and is shown as it was written', () => {
      expect([...shown].sort()).toEqual(expect.arrayContaining(['wallet', 'wallets']));
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);

/** Runs in the page. Text is isolated inside `bdi`, in a field, or where it is alone in its block. */
const FIND = `(() => {
  const notIsolated = [];
  let isShown = false;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (data.includes('<img src=x')) isShown = true;
    if (data.includes('\\u202E') && !parentElement.closest('bdi, pre, textarea, option, [dir=auto]')) notIsolated.push(parentElement.outerHTML);
  }
  return { isShown, elements: document.querySelectorAll('.injected, [onerror]').length, notIsolated };
})()`;
