import { expect, it } from 'vitest';
import { fillLogin, onDashboard } from '../support/dashboard.ts';

/** Clicks each button at the moment at which it is enabled again. */
const CLICK_WHEN_ENABLED = `new MutationObserver((changes) => {
  for (const { target } of changes) if (target instanceof HTMLButtonElement && !target.disabled) target.click();
}).observe(document.body, { subtree: true, attributeFilter: ['disabled'] })`;

onDashboard('an action', ({ open, newPerson }) => {
  it('does not start again by a click at the moment at which it ends, but by a later one', async () => {
    const { email } = await newPerson();
    const page = await open('/login');
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/session')) sent += 1;
    });
    await page.evaluate(CLICK_WHEN_ENABLED);
    await fillLogin(page, { email, password: 'not the password' });
    const error = page.getByText('wrong', { exact: false });
    await error.first().waitFor();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
    expect(sent).toBe(1);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await expect.poll(() => sent).toBe(2);
  });
});
