import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violationsOfTextsOn } from '../support/axe.ts';
import { type Business, fillBusiness } from '../support/business.ts';
import { onDashboard } from '../support/dashboard.ts';
import { layoutProblems } from '../support/layout.ts';
import { findOnAllScreens } from '../support/screens.ts';

const LANGUAGES = [
  ['de', 'de-DE'],
  ['es', 'es-ES'],
] as const;

onDashboard(
  'the dashboard in another language',
  ({ client, net, open, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    it.each(LANGUAGES)('fits and is accessible in %s on any screen', async (code, locale) => {
      // The first login is in English.
      await (await openLoggedIn()).close();
      const options = { context: { locale, viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' } } as const;
      const find = async (page: Page) => {
        expect(await page.locator('html').getAttribute('lang')).toBe(code);
        return [...(await layoutProblems(page, [320, 1280, 390])), ...(await violationsOfTextsOn(page))];
      };
      expect(await findOnAllScreens({ open, openLoggedIn }, options, business, find)).toEqual({});
    });

    it('is chosen in the settings and kept over a reload', async () => {
      const page = await openLoggedIn('/settings');
      await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
      await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
      await page.reload();
      await page.getByLabel('Sprache').selectOption({ label: 'Español' });
      await page.getByRole('heading', { name: 'Ajustes', level: 1 }).waitFor();
      await page.getByLabel('Idioma').selectOption({ label: 'Automático' });
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    });

    it('loads one file more than English, before anything is shown', async () => {
      const filesOf = async (locale: string) => {
        const page = await open(undefined, { context: { locale } });
        const files: string[] = [];
        page.on('request', (request) => request.url().endsWith('.js') && files.push(new URL(request.url()).pathname));
        await page.goto('/login');
        await page.getByRole('button').first().waitFor();
        return files.map((file) => file.replace(/-[\w-]{8}\.js$/, ''));
      };
      const [english, german] = [await filesOf('en-GB'), await filesOf('de-DE')];
      expect(english.some((file) => /\/(de|es)$/.test(file))).toBe(false);
      expect(german.filter((file) => !english.includes(file))).toEqual(['/assets/de']);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
