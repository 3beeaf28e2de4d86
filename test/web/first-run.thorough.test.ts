import { expect, it } from 'vitest';
import { fillLogin, onDashboard } from '../support/dashboard.ts';

onDashboard('the first run', ({ client, open, openLoggedIn, logIn, setupLink, newPerson }) => {
  it('goes from the setup link to the wallets', async () => {
    const page = await open(await setupLink(), { device: 'phone', theme: 'dark' });
    // This address has no passkeys, so the page says why and offers the password.
    await page.getByText('Browsers allow passkeys only at a name, not at an IP address').waitFor();
    await page.getByLabel('E-mail').fill('mara@example.com');
    await page.getByLabel('Password').fill('a long password');
    await page.getByRole('button', { name: 'Create the login' }).click();
    await page.waitForURL('**/wallets');
    await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
    expect(page.url()).not.toContain('#');
    await page.reload();
    await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
  });

  it('tells a person who is logged in that a setup link may belong to another account', async () => {
    const page = await openLoggedIn('/wallets');
    const { email } = await logIn(page);
    await page.goto('/setup');
    await page.waitForURL('**/wallets');
    const { id } = await client.post('/v1/accounts', { invite: true });
    await page.goto(await setupLink(id));
    await page.getByText(`You are logged in as ${email}`).waitFor();
    await page.getByLabel('E-mail').fill('second@example.com');
    await page.getByLabel('Password').fill('a long password');
    await page.getByRole('button', { name: 'Create the login' }).click();
    await page.waitForURL('**/wallets');
    await page.getByText('second@example.com').first().waitFor();
    expect((await client.get(`/v1/accounts/${id}`)).email).toBe('second@example.com');
  });

  it('explains a wrong password and lets the right one in', async () => {
    const person = await newPerson();
    const page = await open('/login');
    await fillLogin(page, { ...person, password: 'not the password' });
    expect(await page.getByRole('alert').textContent()).toMatch(/wrong/);
    await fillLogin(page, person);
    await page.waitForURL('**/wallets');
  });

  it('asks for the password in place when the session has ended, and keeps the address', async () => {
    const page = await openLoggedIn('/keys');
    const person = await logIn(page);
    await page.goto('/wallets?label=till');
    await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Keys' }).first().click();
    await page.waitForURL('**/keys');
    await page.context().clearCookies();
    await page.goBack();
    await page.getByText('Your session has ended').waitFor();
    await fillLogin(page, person);
    await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/wallets?label=till');
  });

  it('shows the wallets after at most 10 files and 8 different requests to the API', async () => {
    await client.request('PATCH', '/v1/operator/first-steps', { key: client.secretKey, json: { is_hidden: true } });
    const page = await openLoggedIn();
    // What is loaded again when the live connection is open does not count.
    const paths = new Set<string>();
    page.on('request', (request) => paths.add(request.url().slice(client.url.length)));
    await page.goto('/wallets');
    await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
    const all = [...paths];
    const isOfApi = (path: string) => /^\/(v1\/|readyz)/.test(path);
    expect(all.filter((path) => !isOfApi(path)).length, all.join(' ')).toBeLessThanOrEqual(10);
    expect(all.filter(isOfApi).length, all.join(' ')).toBeLessThanOrEqual(8);
  });
});
