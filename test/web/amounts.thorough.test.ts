import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Business, fillBusiness } from '../support/business.ts';
import { onDashboard } from '../support/dashboard.ts';
import { findOnScreens, privateExamples } from '../support/screens.ts';

/**
 * Audits the amounts of a page: a header with a unit stands over amounts of that unit, each amount has a unit beside it, in its header or in
 * the name above it, and what failed or was only requested has no minus.
 */
const AUDIT = `((words) => {
  const MINUS = '\\u2212';
  const UNIT = /(sats?|BTC|msat)\\b|[A-Z]{3}\\b|\\bSats\\b/;
  const IN_BTC = /\\d[.,]\\d{2}\\u202f\\d{3}\\u202f\\d{3}/;
  const problems = new Set();
  const textOf = (element) => (element?.textContent ?? '').trim();
  const headerOf = (cell) => {
    const table = cell.closest('table');
    let column = 0;
    for (let other = cell.previousElementSibling; other; other = other.previousElementSibling) column += other.colSpan;
    let left = column;
    for (const header of table.querySelectorAll('thead th')) {
      if (left < header.colSpan) return textOf(header);
      left -= header.colSpan;
    }
    return '';
  };
  for (const amount of document.querySelectorAll('.amount-text')) {
    if (amount.closest('.print-sheet, .chart, .visually-hidden')) continue;
    const text = textOf(amount);
    if (!/\\d/.test(text)) continue;
    const cell = amount.closest('td');
    const header = cell ? headerOf(cell) : '';
    const group = amount.closest('.sum, .stat, dt + dd, .banner, p, li, .row, button, a, .card, summary');
    const beside = cell ? textOf(cell) + ' ' + header : textOf(group) + ' ' + textOf(amount.closest('dd')?.previousElementSibling);
    if (!UNIT.test(text) && !UNIT.test(beside)) problems.add('no unit: ' + text + ' in "' + beside.slice(0, 80) + '"');
    if (!UNIT.test(text) && header !== '') {
      const isFiat = amount.closest('.fiat');
      if (!isFiat && /sats/i.test(header) && IN_BTC.test(text)) problems.add('"' + header + '" over ' + text);
      if (!isFiat && /BTC/.test(header) && !IN_BTC.test(text)) problems.add('"' + header + '" over ' + text);
    }
    const place = cell ?? group;
    if (text.includes(MINUS) && words.some((word) => textOf(place).includes(word))) problems.add('minus: ' + textOf(place));
  }
  return [...problems];
})`;

/** What is written beside money that did not move. */
const UNMOVED = ['not charged', 'requested', 'asked', 'not received'];

onDashboard(
  'the amounts of a screen have their unit, and a minus only for money that left',
  ({ client, net, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
      const json = { currency: 'EUR', per_btc: '50000' };
      await client.request('PUT', '/v1/operator/fiat-rate', {
        key: client.secretKey,
        headers: { 'idempotency-key': randomUUID() },
        json,
      });
    });
    afterAll(() => business.close());

    it.each(['sats', 'btc', 'fiat'])('with amounts in %s', async (unit) => {
      const page = await openLoggedIn();
      await page.addInitScript(`if (location.protocol === 'http:') localStorage.setItem('unit', '${unit}')`);
      const examples = privateExamples().filter(({ isMissing }) => !isMissing);
      const audit = () => page.evaluate<string[]>(`${AUDIT}(${JSON.stringify(UNMOVED)})`);
      expect(await findOnScreens(page, business, examples, audit)).toEqual({});
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
