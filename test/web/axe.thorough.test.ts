import { afterAll, beforeAll, expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { type Business, fillBusiness } from '../support/business.ts';
import { DEVICES } from '../support/chromium.ts';
import { onDashboard } from '../support/dashboard.ts';
import { findOnAllScreens } from '../support/screens.ts';

onDashboard(
  'axe finds nothing',
  ({ client, net, open, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    it.each(DEVICES)('on any screen (%s)', async (device) => {
      const options = { device, context: { reducedMotion: 'reduce' } } as const;
      expect(await findOnAllScreens({ open, openLoggedIn }, options, business, violationsInThemes)).toEqual({});
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
