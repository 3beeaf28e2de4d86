import { afterAll, beforeAll, expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { type Business, fillBusiness } from '../support/business.ts';
import { DEVICES } from '../support/chromium.ts';
import { onDashboard } from '../support/dashboard.ts';
import { existingExamples, visit } from '../support/screens.ts';

onDashboard(
  'axe finds nothing',
  ({ client, net, open, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    it.each(existingExamples().flatMap((example) => DEVICES.map((device) => ({ ...example, device }))))(
      'on $name $device',
      async (screen) => {
        const options = { device: screen.device, context: { reducedMotion: 'reduce' } } as const;
        const page = screen.isPublic ? await open(undefined, options) : await openLoggedIn(undefined, options);
        await visit(page, screen.address(business));
        expect(await violationsInThemes(page), screen.address(business)).toEqual([]);
      },
    );
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
