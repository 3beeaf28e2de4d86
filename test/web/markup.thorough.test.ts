import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RemoteService, raw } from '../lnurl/payee.ts';
import { type Business, fillBusiness } from '../support/business.ts';
import type { Json } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';
import { expectTextsOnly, expectTextsOnlyInRows, HOSTILE } from '../support/foreign-text.ts';
import { findOnScreens, privateExamples, visit } from '../support/screens.ts';

/** Screens that show a text from outside: of a person, a payer, a node, or a receiver of webhooks. */
const WITH_TEXTS = [
  'account',
  'apps',
  'events',
  'keys',
  'link',
  'links',
  'operator',
  'payment',
  'payment-failed',
  'payment-pending',
  'receive-open',
].concat(['transfer', 'wallet', 'wallet-keys', 'wallet-filtered', 'wallets', 'webhook', 'webhooks']);

onDashboard(
  'markup in texts from outside is text',
  ({ client, net, openLoggedIn }) => {
    let business: Business;

    /** Changes what the node reports about itself. */
    async function describeNode(changes: object): Promise<void> {
      net.always('info', undefined);
      const node = net.connect();
      net.always('info', { instead: { ...(await node.info()), alias: HOSTILE, ...changes } });
      await node.close();
    }
    beforeAll(async () => {
      business = await fillBusiness({ client, net, text: (plain) => HOSTILE + plain });
      await describeNode({});
    });
    afterAll(() => business.close());

    it('on each screen, and is shown as it was written', async () => {
      const page = await openLoggedIn();
      const shown = new Set<string>();
      await findOnScreens(page, business, privateExamples(), async ({ name }) => {
        const isOnPage = await expectTextsOnly(page);
        const hasSheet = (await page.locator('dialog[open]').count()) > 0;
        const isInRows = !hasSheet && (await expectTextsOnlyInRows(page));
        if (isOnPage || isInRows) shown.add(name);
        return [];
      });
      expect([...shown]).toEqual(expect.arrayContaining(WITH_TEXTS));
    });

    it('in a reason of failure that the page does not know', async () => {
      const page = await openLoggedIn();
      await page.route('**/v1/lntx/*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), failure_reason: HOSTILE } });
      });
      await visit(page, `/payments/${business.failedPayment}`);
      await page.getByText('FAILURE_REASON_<img').waitFor();
      await expectTextsOnly(page);
    });

    describe('of other services', () => {
      const other = RemoteService.ofSuite();
      const metadata = JSON.stringify([
        ['text/plain', HOSTILE],
        ['text/long-desc', `${HOSTILE}\n`.repeat(5)],
        ['text/identifier', `${HOSTILE}@pay.example.com`],
      ]);
      const preimage = randomBytes(32);
      const invoiceFor = (query: URLSearchParams, ownPreimage?: Buffer) =>
        net.outside.invoice({
          amountMsat: Number(query.get('amount')),
          descriptionHash: createHash('sha256').update(metadata).digest('hex'),
          ...(ownPreimage && { preimage: ownPreimage.toString('hex') }),
        }).paymentRequest;

      async function openSend(sats: number): Promise<{ page: Page; wallet: string }> {
        const { id } = await client.wallet(sats);
        return { page: await openLoggedIn(`/wallets/${id}/send`), wallet: id };
      }
      /** Fills the form for a pay link of the service, up to the review. */
      async function reviewPayment(page: Page, to: string): Promise<void> {
        await page.getByLabel('To', { exact: true }).fill(to);
        await page.getByLabel('Amount').fill('10');
        expect(await expectTextsOnly(page)).toBe(true);
        await page.getByLabel('Comment').fill('x'.repeat(21));
        await page.getByText('The comment is longer than').waitFor();
        await page.getByLabel('Comment').fill(HOSTILE.slice(0, 20));
        await page.getByRole('button', { name: 'Review' }).click();
        await page.getByRole('button', { name: 'Send 10 sats' }).waitFor();
        await expectTextsOnly(page);
      }

      it.each(['message', 'url', 'aes'])(
        'in the description of a pay link, and in the %s that its service shows after the payment',
        async (tag) => {
          const action = {
            message: { message: HOSTILE },
            url: { description: HOSTILE, url: `${other.url}/${encodeURI(HOSTILE)}` },
            aes: { description: HOSTILE, ...encrypted(HOSTILE, preimage) },
          }[tag];
          other.parameters = () => other.payParameters({ metadata });
          other.callback = (query) => ({
            pr: invoiceFor(query, tag === 'aes' ? preimage : undefined),
            successAction: { tag, ...action },
          });
          const { page, wallet } = await openSend(1_000);
          await reviewPayment(page, tag === 'url' ? other.address : other.lnurl);
          await page.getByRole('button', { name: 'Send 10 sats' }).click();
          await page.getByText('The receiver has it.').waitFor();
          expect(await expectTextsOnly(page)).toBe(true);
          await page.getByRole('link', { name: 'Open payment' }).click();
          await page.locator('.page-head').getByText('Payment', { exact: true }).waitFor();
          expect(await expectTextsOnly(page)).toBe(true);
          await visit(page, `/wallets/${wallet}`);
          await expectTextsOnlyInRows(page);
        },
      );

      it('in the reason of a service that refuses an invoice', async () => {
        other.parameters = () => other.payParameters({ metadata });
        other.callback = () => ({ status: 'ERROR', reason: HOSTILE });
        const { page } = await openSend(1_000);
        await reviewPayment(page, other.lnurl);
        await page.getByRole('button', { name: 'Send 10 sats' }).click();
        await page.getByRole('alert').filter({ hasText: 'gnirts' }).waitFor();
        await expectTextsOnly(page);
      });

      it.each<[string, () => Json]>([
        ['a reason', () => ({ status: 'ERROR', reason: HOSTILE })],
        ['a page', () => raw(`<!doctype html><title>${HOSTILE}</title>${HOSTILE}`)],
        ['an error page', () => raw(HOSTILE, 404)],
        ['another kind of link', () => ({ tag: HOSTILE })],
      ])('in %s in place of a pay link', async (_, response) => {
        other.parameters = response;
        const { page } = await openSend(0);
        const to = page.getByLabel('To', { exact: true });
        await to.fill(other.lnurl);
        await expect.poll(() => to.getAttribute('aria-invalid')).toBe('true');
        await page.locator('.field .error').getByText(other.host).waitFor();
        await expectTextsOnly(page);
      });

      it('in a long domain', async () => {
        const { page } = await openSend(0);
        const domain = `${'w'.repeat(60)}.${'w'.repeat(60)}.invalid`;
        await page.getByLabel('To', { exact: true }).fill(`bob@${domain}`);
        await page.locator('.field .error, .note').first().waitFor();
        await expectTextsOnly(page);
      });

      it('in the description of a withdraw link, and in the reason of its service', async () => {
        const offer = { tag: 'withdrawRequest', k1: HOSTILE, defaultDescription: HOSTILE, minWithdrawable: 1000, maxWithdrawable: 50_000 };
        other.parameters = () => ({ ...offer, callback: `${other.url}/cb` });
        other.callback = () => ({ status: 'ERROR', reason: HOSTILE });
        const { page, wallet } = await openSend(0);
        await page.getByLabel('To', { exact: true }).fill(`lnurlw://${other.host}/link`);
        await page.getByLabel('Amount to receive').fill('20');
        await page.getByRole('button', { name: 'Receive 20 sats' }).click();
        await page.getByRole('alert').filter({ hasText: 'gnirts' }).waitFor();
        await expectTextsOnly(page);
        other.callback = () => ({ status: 'OK' });
        await page.getByLabel('Amount to receive').fill('21');
        await page.getByRole('button', { name: 'Receive 21 sats' }).click();
        await page.getByText('Waiting for payment').waitFor();
        expect(await expectTextsOnly(page)).toBe(true);
        await visit(page, `/wallets/${wallet}?status=open`);
        expect(await expectTextsOnlyInRows(page)).toBe(true);
      });
    });

    it('in the reason of a node that cannot send', async () => {
      await describeNode({ cannotSend: HOSTILE });
      const page = await openLoggedIn();
      const isShown = async () => {
        await visit(page, '/operator');
        return (await page.getByText('Cannot send').count()) > 0;
      };
      await expect.poll(isShown).toBe(true);
      expect(await expectTextsOnly(page)).toBe(true);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);

/** LUD-10, as a service encrypts. */
function encrypted(plaintext: string, preimage: Buffer): { ciphertext: string; iv: string } {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', preimage, iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return { ciphertext: ciphertext.toString('base64'), iv: iv.toString('base64') };
}
