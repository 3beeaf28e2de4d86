import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('the reference in a browser', ({ open }) => {
  it('lists the topics without the logins of the dashboard', async () => {
    const page = await open('/docs', { expected: [/.*/] });
    await page.getByText('Create a wallet').first().waitFor();
    const lines = async () => (await page.evaluate<string>('document.body.innerText')).split('\n');
    await expect.poll(lines).toContain('Service');
    expect(await lines()).not.toContain('Sessions');
  });
});
