import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { NodeChannel } from '../../src/core/lightning/node-channel.ts';
import { onDashboard } from '../support/dashboard.ts';
import { expectTextsOnly, HOSTILE } from '../support/foreign-text.ts';

function channel(id: string, changes: object = {}): NodeChannel {
  const amounts = { capacityMsat: 5_000_000_000, spendableMsat: 2_000_000_000, receivableMsat: 1_000_000_000 };
  const peer = { peerPubkey: `02${id.padStart(64, '0')}`, peerAlias: undefined };
  return { id, ...peer, state: 'active', isPrivate: false, ...amounts, ...changes } as NodeChannel;
}

onDashboard('the channels of the nodes', ({ client, net, openLoggedIn, open, logIn, newPerson }) => {
  const sats = (text: string) => text.replaceAll(' ', '\u202f');

  async function listing(channels: readonly NodeChannel[], look: (page: Page) => Promise<void>, path = '/operator/channels') {
    net.always('listChannels', { instead: channels });
    // Reads of the same second share the request to the node.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    try {
      await look(await openLoggedIn(path));
    } finally {
      net.always('listChannels', undefined);
    }
  }

  it('show what can be sent and received over each, in words', async () => {
    const channels = [
      channel('1', { peerAlias: 'roastery' }),
      channel('2', { state: 'inactive', isPrivate: true }),
      channel('3', { state: 'opening', capacityMsat: undefined, spendableMsat: 0, receivableMsat: 0 }),
      channel('4', { state: 'closing', spendableMsat: 0, receivableMsat: 0 }),
    ];
    await listing(channels, async (page) => {
      await page.getByText('1 active, 1 with an offline peer, 1 opening, 1 closing').waitFor();
      const first = page.getByRole('row').filter({ hasText: 'roastery' });
      await first.getByRole('img', { name: sats('Can send 2 000 000 sats and receive 1 000 000 sats') }).waitFor();
      await first.getByText(sats('5 000 000')).last().waitFor();
      await first.getByText('Active').last().waitFor();
      for (const status of ['Peer offline', 'Opening', 'Closing']) await page.getByRole('row').filter({ hasText: status }).waitFor();
      await page.getByRole('row').filter({ hasText: 'Peer offline' }).getByText('private').waitFor();
      await page.getByRole('row').filter({ hasText: 'Opening' }).getByText('unknown').last().waitFor();
    });
  });

  it('open one at a time, with the public key in whole, also after a reload', async () => {
    await listing([channel('1', { peerAlias: 'one' }), channel('2', { peerAlias: 'two' })], async (page) => {
      await page.getByRole('button', { name: 'one' }).click();
      await page.getByText(channel('1').peerPubkey).waitFor();
      await page.getByRole('button', { name: 'two' }).click();
      await page.getByText(channel('2').peerPubkey).waitFor();
      expect(await page.getByText(channel('1').peerPubkey).count()).toBe(0);
      await page.reload();
      await page.getByText(channel('2').peerPubkey).waitFor();
      await page.getByRole('button', { name: 'two' }).click();
      await page.waitForURL('**/operator/channels');
    });
  });

  it.each([HOSTILE, 'W'.repeat(64)])('show the name of a peer as text: %s', async (peerAlias) => {
    await listing([channel('1', { peerAlias })], async (page) => {
      await page.locator('bdi', { hasText: peerAlias.slice(0, 40) }).waitFor();
      expect(await expectTextsOnly(page)).toBe(peerAlias === HOSTILE);
    });
  });

  it.each([
    [{ spendableMsat: 0 }, 'cannot send anything'],
    [{ receivableMsat: 0 }, 'cannot receive anything'],
    [{ state: 'inactive' }, 'All peers are offline'],
  ])('warn if nothing can be sent or received: %o', async (changes, warning) => {
    await listing([channel('1', changes)], async (page) => page.getByText(warning).waitFor());
  });

  it('say what to do on a node without channels', async () => {
    await listing([], async (page) => {
      await page.getByRole('heading', { name: 'No channels' }).waitFor();
      await page.getByText('lncli openchannel').waitFor();
    });
  });

  it('are shown in parts, and open and close in place', async () => {
    const many = Array.from({ length: 150 }, (_, i) => channel(`${i + 1}`, { peerAlias: `peer ${i + 1}` }));
    await listing(many, async (page) => {
      await page.getByText('150 active').waitFor();
      expect(await page.locator('.channels tbody tr').count()).toBe(100);
      await page.getByRole('button', { name: 'Show 50 more' }).click();
      await expect.poll(() => page.locator('.channels tbody tr').count()).toBe(150);
      expect(await page.getByRole('button', { name: /^Show \d+ more$/ }).count()).toBe(0);
    });
  });

  it('stay, with their time, while the node is away', async () => {
    const page = await openLoggedIn('/operator/channels', { expected: [/503/] });
    const row = page.getByRole('row').filter({ hasText: 'alice' });
    await row.waitFor();
    const answers = (fault: { unavailable: true } | undefined) => {
      for (const call of ['info', 'listChannels'] as const) net.always(call, fault);
    };
    try {
      answers({ unavailable: true });
      await page.getByText('does not list its channels').waitFor({ timeout: 150_000 });
      await row.waitFor();
    } finally {
      answers(undefined);
    }
    await expect.poll(() => page.getByText('does not list its channels').count()).toBe(0);
  });

  it('are not shown if the credential does not permit it, with the remedy', async () => {
    net.always('listChannels', { notPermitted: true });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const page = await openLoggedIn('/operator/channels');
    await page.getByRole('heading', { name: 'Not permitted' }).waitFor();
    await page.getByText('satchel node check prints the command').waitFor();
    net.always('listChannels', undefined);
  });

  it('are summed on the overview, which leads to them', async () => {
    await client.wallet(1_000);
    const page = await openLoggedIn('/operator');
    await page
      .getByRole('img', { name: /^Can send .* sats and receive .* sats$/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Show channels' }).click();
    await page.waitForURL('**/operator/channels');
    await page.getByRole('link', { name: 'Channels', exact: true }).and(page.locator('[aria-current=page]')).waitFor();
  });

  it('are found in the palette', async () => {
    const page = await openLoggedIn('/wallets');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('channels');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/operator/channels');
  });

  it('fit on a phone', async () => {
    await listing([channel('1', { peerAlias: 'a peer with quite a long name, of 64 characters at the most' })], async (page) => {
      await page.setViewportSize({ width: 320, height: 700 });
      await page
        .getByRole('img', { name: /^Can send/ })
        .last()
        .waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    });
  });

  it('do not exist for a member', async () => {
    const page = await open();
    await logIn(page, await newPerson());
    await page.goto('/operator/channels');
    await page.getByRole('heading', { name: 'Page not found' }).first().waitFor();
  });
});
