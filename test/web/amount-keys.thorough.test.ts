import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RateSource, sendsPrices, setPrices } from '../rates/rate-source.ts';
import { violationsInThemes } from '../support/axe.ts';
import type { Json } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';

/** Without transitions, in which axe would find colors between two themes. */
const PHONE = { device: 'phone', context: { reducedMotion: 'reduce' } } as const;

const PRICES = { EUR: '50000', JPY: '7000000' };

const source = await RateSource.start('50000');
source.behave = sendsPrices(PRICES);
afterAll(() => source.close());

function keysOf(page: Page) {
  return page.getByRole('group', { name: 'Number pad' });
}

async function tapKeys(page: Page, ...names: string[]) {
  for (const name of names) await keysOf(page).getByRole('button', { name, exact: true }).tap();
}

async function hasFocus(field: Locator): Promise<boolean> {
  return (await field.and(field.page().locator(':focus')).count()) === 1;
}

/** Returns whether one part of the page ends above another. */
async function isAbove(upper: Locator, lower: Locator): Promise<boolean> {
  const [one, other] = [await upper.boundingBox(), await lower.boundingBox()];
  return one !== null && other !== null && one.y + one.height <= other.y;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

async function centersOfKeys(page: Page): Promise<Point[]> {
  const boxes = await Promise.all((await keysOf(page).getByRole('button').all()).map((key) => key.boundingBox()));
  return boxes.flatMap((box) => (box ? [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }] : []));
}

/**
 * Waits for the review, clicks on its primary button if it is at one of the points, as soon as it is rendered and again once it is painted,
 * and returns the texts of the buttons.
 */
function clickLate(page: Page, points: readonly Point[]): Promise<string[]> {
  return page.evaluate(`(${CLICK_LATE})(${JSON.stringify(points)})`);
}

const CLICK_LATE = `async (points) => {
  const click = () => points.flatMap(({ x, y }) => {
    const button = document.elementFromPoint(x, y)?.closest('button.primary');
    button?.dispatchEvent(new PointerEvent('click', { bubbles: true, cancelable: true, detail: 1, pointerType: 'touch' }));
    return button ? [button.textContent.replace(/\\s/g, ' ')] : [];
  });
  const frame = () => new Promise(requestAnimationFrame);
  await new Promise((resolve) => {
    const observer = new MutationObserver(() => document.querySelector('.attempt') && resolve(observer.disconnect()));
    observer.observe(document.body, { childList: true, subtree: true });
  });
  const names = click();
  await frame();
  await frame();
  click();
  return names;
}`;

onDashboard(
  'the keys for amounts on a phone',
  ({ client, openLoggedIn }) => {
    beforeAll(() => setPrices(client, source, PRICES));

    async function openReceive(options: Parameters<typeof openLoggedIn>[1] = PHONE) {
      const { id } = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${id}/receive`, options);
      const amount = page.getByLabel('Amount', { exact: true });
      await amount.waitFor();
      return { id, page, amount };
    }

    it('write an amount in place of the keyboard of the device, and an invoice is created', async () => {
      const { id, page, amount } = await openReceive();
      await keysOf(page).waitFor();
      expect(await amount.getAttribute('inputmode')).toBe('none');
      expect(await violationsInThemes(page)).toEqual([]);
      for (const key of await keysOf(page).getByRole('button').all()) {
        const { width = 0, height = 0 } = (await key.boundingBox()) ?? {};
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
      }
      await tapKeys(page, '2', '1', '000', 'Delete');
      expect(await amount.inputValue()).toBe('2\u202f100');
      await page.getByRole('button', { name: 'Create invoice' }).tap();
      await page.getByText('Waiting for payment').waitFor();
      expect(await keysOf(page).count()).toBe(0);
      expect((await client.get(`/v1/wallet/${id}/transactions?status=open`))[0]).toMatchObject({ num_satoshis: 2100 });
    });

    it('write at the caret and over a selection, and the field keeps the focus', async () => {
      const { page, amount } = await openReceive();
      await page.keyboard.type('1230');
      await page.evaluate('document.activeElement.setSelectionRange(1, 1)');
      await tapKeys(page, '9', '8', 'Delete');
      expect(await amount.inputValue()).toBe('19\u202f230');
      expect(await hasFocus(amount)).toBe(true);
      await page.keyboard.type('7');
      expect(await amount.inputValue()).toBe('197\u202f230');
      await page.evaluate('document.activeElement.setSelectionRange(0, 7)');
      await tapKeys(page, '5');
      expect(await amount.inputValue()).toBe('5');
      await tapKeys(page, 'Delete', 'Delete', '4');
      expect(await amount.inputValue()).toBe('4');
    });

    it('accept a pasted amount', async () => {
      const { page, amount } = await openReceive({
        ...PHONE,
        context: { ...PHONE.context, permissions: ['clipboard-read', 'clipboard-write'] },
      });
      await page.evaluate("navigator.clipboard.writeText('12\u202f500')");
      await page.keyboard.press('Control+V');
      await tapKeys(page, '0');
      expect(await amount.inputValue()).toBe('125\u202f000');
    });

    it('are hidden while another field has the focus, and stay while a button has it', async () => {
      const { page, amount } = await openReceive();
      await keysOf(page).waitFor();
      await page.getByRole('button', { name: 'Create invoice' }).focus();
      expect(await keysOf(page).count()).toBe(1);
      await tapKeys(page, '7');
      expect(await hasFocus(amount)).toBe(true);
      await page.getByLabel('Memo').tap();
      await expect.poll(() => keysOf(page).count()).toBe(0);
      expect(await hasFocus(page.getByLabel('Memo'))).toBe(true);
      await amount.tap();
      await tapKeys(page, '5');
      expect(await amount.inputValue()).toBe('75');
    });

    it('leave the button of a long form in sight above them', async () => {
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/links/withdraw?wallet=${wallet.id}`, PHONE);
      await page.getByLabel('Sats per claim').tap();
      await tapKeys(page, '2', '1');
      const create = page.getByRole('button', { name: 'Create link' });
      expect(await isAbove(create, keysOf(page))).toBe(true);
      await create.tap();
      await page.getByText('Pays 21\u202fsats per claim.').or(page.getByText('Pays 21 sats per claim.')).waitFor();
    });

    it('belong to the field of the fee limit as well', async () => {
      const { id } = await client.wallet(10_000);
      const page = await openLoggedIn(`/wallets/${id}/send`, PHONE);
      const { pubkey } = (await client.get('/playground')).nodes[0];
      await page.getByLabel('To', { exact: true }).fill(pubkey);
      const [amount, fee] = [page.getByLabel('Amount', { exact: true }), page.getByLabel('Fee limit, sats')];
      await amount.tap();
      await tapKeys(page, '5', '0', '0');
      await fee.tap();
      await page.evaluate('document.activeElement.select()');
      await tapKeys(page, '7');
      expect([await amount.inputValue(), await fee.inputValue()]).toEqual(['500', '7']);
      expect(await keysOf(page).count()).toBe(1);
    });

    it('cover neither the field nor the button on a small phone', async () => {
      const { id } = await client.wallet(10_000);
      const context = { ...PHONE.context, viewport: { width: 320, height: 568 } };
      const page = await openLoggedIn(`/wallets/${id}/send`, { ...PHONE, context });
      const { pubkey } = (await client.get('/playground')).nodes[0];
      await page.getByLabel('To', { exact: true }).fill(pubkey);
      const review = page.getByRole('button', { name: 'Review' });
      for (const name of ['Amount', 'Fee limit, sats']) {
        const field = page.getByLabel(name, { exact: true });
        await field.focus();
        await keysOf(page).waitFor();
        await expect.poll(async () => (await isAbove(field, review)) && (await isAbove(review, keysOf(page)))).toBe(true);
      }
    });

    it.each(['send', 'transfer'])(
      'never %s: a tap that comes late, on the button that is in place of a key then, is ignored',
      async (operation) => {
        await client.namedWallet(`Other ${operation}`, 0);
        const { id } = await client.wallet(10_000);
        const page = await openLoggedIn(`/wallets/${id}/${operation}`, PHONE);
        const { pubkey } = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice');
        if (operation === 'send') await page.getByLabel('To', { exact: true }).fill(pubkey);
        else await page.getByText(`Other ${operation}`).click();
        await page.getByLabel('Amount', { exact: true }).tap();
        await tapKeys(page, '5', '0');
        const answer = Promise.withResolvers<void>();
        await page.route(/\/quote/, (route) => answer.promise.then(() => route.continue()));
        await tapKeys(page, '0');
        const keys = await centersOfKeys(page);
        await page.getByRole('button', { name: 'Review' }).tap();
        await page.locator('form.waiting').waitFor();
        // The keys do nothing while the form waits for the fee.
        for (const { x, y } of keys) await page.touchscreen.tap(x, y);
        expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('500');
        const clicks = clickLate(page, keys);
        answer.resolve();
        expect(await clicks).toContain('Send 500 sats');
        const send = page.getByRole('button', { name: 'Send 500 sats' });
        expect(await send.count()).toBe(1);
        await expect
          .poll(async () => {
            if ((await send.count()) > 0) await send.tap();
            return (await client.get(`/v1/wallet/${id}`)).balance;
          })
          .toBe(9500);
      },
    );

    it('have the decimal mark for a currency with decimals, from left to right in every language', async () => {
      const { page, amount } = await openReceive();
      await page.goto('/settings');
      await page.getByLabel('Currency').selectOption('EUR');
      await page.getByText(/^1 BTC = /).waitFor();
      await page.goBack();
      await page.evaluate("document.documentElement.dir = 'rtl'");
      const euros = page.getByLabel('Amount in EUR');
      await euros.tap();
      expect(await keysOf(page).getByRole('button', { name: '000' }).count()).toBe(0);
      await tapKeys(page, '1', '2', '.', '5');
      expect(await euros.inputValue()).toBe('12.5');
      await page.getByText(/^About 25\u202f000 sats/).waitFor();
      const [one, three] = [
        await keysOf(page).getByText('1', { exact: true }).boundingBox(),
        await keysOf(page).getByText('3').boundingBox(),
      ];
      expect(one?.x).toBeLessThan(three?.x ?? 0);
      await amount.tap();
      await tapKeys(page, '9', '000');
      expect([await amount.inputValue(), await euros.inputValue()]).toEqual(['9\u202f000', '']);
      await page.goto('/settings');
      await page.getByLabel('Currency').selectOption('JPY');
      await page.getByText(/^1 BTC = /).waitFor();
      await page.goBack();
      const yen = page.getByLabel('Amount in JPY');
      await yen.tap();
      await tapKeys(page, '7', '000');
      expect(await yen.inputValue()).toBe('7\u202f000');
      await page.evaluate("localStorage.setItem('unit', 'btc')");
      await page.reload();
      await amount.tap();
      await tapKeys(page, '3', '000');
      expect(await amount.inputValue()).toBe('3\u202f000');
    });

    it('are gone with their field, while the rate is too old, and return with its focus', async () => {
      const { page } = await openReceive();
      await page.goto('/settings');
      await page.getByLabel('Currency').selectOption('EUR');
      await page.getByText(/^1 BTC = /).waitFor();
      let status = 'valid';
      await page.route('**/v1/rates', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: (await response.json()).map((rate: Json) => ({ ...rate, status })) });
      });
      await page.clock.install();
      await page.goBack();
      const euros = page.getByLabel('Amount in EUR');
      await euros.tap();
      await tapKeys(page, '1');
      for (const [next, count] of [
        ['stale', 0],
        ['valid', 1],
      ] as const) {
        status = next;
        await page.clock.fastForward(61_000);
        await expect.poll(() => euros.count()).toBe(count);
        expect(await keysOf(page).count()).toBe(0);
      }
      await euros.tap();
      await tapKeys(page, '2');
      expect(await euros.inputValue()).toBe('12');
    });

    it('tell a screen reader the value, and keep the focus that a keyboard has moved to them', async () => {
      const { page, amount } = await openReceive();
      const value = keysOf(page).getByRole('status');
      await tapKeys(page, '2', '1');
      await expect.poll(() => value.textContent()).toBe('21');
      const remove = keysOf(page).getByRole('button', { name: 'Delete' });
      await remove.press('Enter');
      await expect.poll(() => value.textContent()).toBe('2');
      expect(await hasFocus(remove)).toBe(true);
      await remove.press('Enter');
      await expect.poll(() => value.textContent()).toBe('Empty');
      await tapKeys(page, '3');
      expect([await amount.inputValue(), await hasFocus(amount)]).toEqual(['3', true]);
    });

    it('are absent without a touch screen and in a wide window', async () => {
      const narrow = await openReceive({ context: { viewport: { width: 390, height: 844 } } });
      const wide = await openReceive({ context: { viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true } });
      for (const { page, amount } of [narrow, wide]) {
        await amount.focus();
        expect(await amount.getAttribute('inputmode')).toBe('numeric');
        expect(await keysOf(page).count()).toBe(0);
      }
    });
  },
  { ...source.settings('EUR,JPY'), FIAT_RATE_REFRESH_SECONDS: '5' },
);
