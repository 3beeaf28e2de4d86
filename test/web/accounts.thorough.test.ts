import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('the customers', ({ client, neighbour, openLoggedIn, open, logIn, newPerson }) => {
  const readAccount = (id: string) => client.get(`/v1/accounts/${id}`);

  it('creates one account for a double click and shows its setup link once', async () => {
    const before = (await client.get('/v1/accounts')).length;
    const page = await openLoggedIn('/accounts/new');
    await page.getByLabel('E-mail').fill('jonas@example.com');
    await page.getByLabel('Wallet limit').fill('5');
    await page.getByRole('button', { name: 'Create account and link' }).dblclick();
    await page.getByText('Setup link for jonas@example.com').waitFor();
    await page.getByText(/\/setup#/).waitFor();
    const accounts = await client.get('/v1/accounts');
    expect(accounts).toHaveLength(before + 1);
    expect(accounts[0]).toMatchObject({ email: 'jonas@example.com', role: 'member', max_wallets: 5 });
    await page.reload();
    await page.getByRole('link', { name: 'jonas@example.com' }).waitFor();
    expect(await page.getByText(/\/setup#/).count()).toBe(0);
  });

  it('says that an e-mail is taken, and then accepts another one', async () => {
    const { email } = await newPerson();
    const page = await openLoggedIn('/accounts/new');
    await page.getByLabel('E-mail').fill(email);
    const submit = page.getByRole('button', { name: 'Create account and link' });
    await submit.click();
    await page.getByRole('alert').filter({ hasText: 'Another account has this e-mail' }).waitFor();
    await page.getByLabel('E-mail').fill('other@example.com');
    await submit.click();
    await page.getByText('Setup link for other@example.com').waitFor();
  });

  it('changes the state of an account with a reason', async () => {
    const { accountId } = await newPerson();
    const page = await openLoggedIn(`/accounts/${accountId}`);
    await page.getByRole('link', { name: 'Restrict' }).click();
    // The mildest state is chosen, and has the focus.
    const state = (name: RegExp) => page.getByRole('group', { name: 'State' }).getByRole('radio', { name });
    await expect.poll(() => state(/^Receive only/).evaluate((radio) => radio.matches(':focus'))).toBe(true);
    expect(await state(/^Receive only/).isChecked()).toBe(true);
    await state(/^Frozen/).check();
    const freeze = page.getByRole('button', { name: 'Freeze account' });
    expect(await freeze.isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('reported as stolen');
    await freeze.click();
    await page.locator('.badge', { hasText: 'Frozen' }).waitFor();
    expect((await readAccount(accountId)).status).toBe('frozen');
    await page.getByRole('link', { name: 'Change state' }).click();
    await state(/^Receive only/).check();
    await page.getByLabel('Reason').fill('found again');
    await page.getByRole('button', { name: 'Stop sending' }).click();
    await page.locator('.badge', { hasText: 'Receive only' }).waitFor();
    expect((await readAccount(accountId)).status).toBe('receive_only');
  });

  it('shows wallets, payments, keys and notes of a customer, and finds them', async () => {
    const wallet = await neighbour.namedWallet('Concert tickets', 1000);
    await neighbour.post(`/v1/wallet/${wallet.id}/transfer`, {
      dest_wallet_id: (await neighbour.wallet()).id,
      num_satoshis: 20,
      memo: 'T-shirt',
    });
    const { id } = await neighbour.get('/v1/account');
    for (const device of ['desktop', 'phone'] as const) {
      const page = await openLoggedIn('/accounts', { device });
      await page.getByRole('searchbox', { name: 'Search all accounts' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('concert tick');
      await page.getByRole('link', { name: 'Concert tickets' }).click();
      await page.waitForURL(`**/accounts/${id}`);
      await page
        .getByText(/^980 sats$|^1.000 sats$/)
        .first()
        .waitFor();
      await page.getByText('T-shirt').first().waitFor();
      const payment = page.getByRole('row').filter({ hasText: 'T-shirt' }).first();
      expect(await payment.innerText()).toMatch(/Transfer (?:received|sent)/);
      if (device === 'desktop') expect(await payment.innerText()).toContain('Settled');
      expect(await page.locator('main table').first().innerText()).not.toMatch(/\b(?:wal|wtx|lntx)_/);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.getByRole('button', { name: 'Failed' }).click();
      await page.getByText('None.').waitFor();
      await page.getByLabel('New note').fill('Asked about a fee');
      await page.getByRole('button', { name: 'Add note' }).click();
      await page.getByText('Asked about a fee').waitFor();
      await page.getByText('Note added').first().waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Note deleted').first().waitFor();
      await expect.poll(() => page.getByText('Asked about a fee').count()).toBe(0);
    }
  });

  it('changes role and wallet limit', async () => {
    const { accountId } = await newPerson();
    const page = await openLoggedIn(`/accounts/${accountId}/change`);
    await page.getByLabel('Role').selectOption('operator');
    await page.getByLabel('Wallet limit').fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 7').waitFor();
    expect(await readAccount(accountId)).toMatchObject({ role: 'operator', max_wallets: 7 });
    await client.request('PATCH', `/v1/accounts/${accountId}`, {
      key: client.secretKey,
      json: { role: 'member' },
      headers: { 'idempotency-key': 'member again' },
    });
  });

  it('shows who changed what, when and why', async () => {
    const { accountId, email } = await newPerson();
    const operator = await newPerson({ role: 'operator' });
    const page = await openLoggedIn(`/accounts/${accountId}/state`);
    await page.getByRole('radio', { name: /^Frozen/ }).check();
    await page.getByLabel('Reason').fill('reported as stolen');
    await page.getByRole('button', { name: 'Freeze account' }).click();
    const history = page.locator('section').filter({ has: page.getByRole('heading', { name: 'History' }) });
    const rows = history.locator('tbody tr');
    await rows.first().getByText('Status: Frozen').waitFor();
    expect(await rows.first().innerText()).toMatch(/^Status: Frozen\s+reported as stolen\s+Operator\s+You\s+Today \d\d:\d\d$/);
    await history.getByText('New setup link').first().waitFor();

    const others = await open();
    await logIn(others, operator);
    await others.goto(`/accounts/${accountId}`);
    await others.getByRole('heading', { name: email, level: 1 }).waitFor();
    const { actor_id } = (await client.get(`/v1/operator/actions?account_id=${accountId}`))[0];
    await others.getByRole('row').filter({ hasText: 'Frozen' }).getByRole('link', { name: actor_id }).waitFor();
  });

  it('creates a new setup link', async () => {
    const { accountId } = await newPerson();
    const page = await openLoggedIn(`/accounts/${accountId}/setup-link`);
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText(/\/setup#/).waitFor();
  });

  it('says that the last operator stays one', async () => {
    const page = await openLoggedIn();
    const operators = (await client.get('/v1/accounts')).filter((one: { role: string }) => one.role === 'operator');
    await page.goto(`/accounts/${operators.at(-1).id}/change`);
    await page.route('**/v1/accounts/*', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 409, json: { type: 'last_operator', message: 'last operator', request_id: 'r', status: 409 } })
        : route.continue(),
    );
    await page.getByLabel('Role').selectOption('member');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'This is the last active operator' }).waitFor();
  });

  it('does not exist for a member', async () => {
    const person = await newPerson();
    const page = await open();
    await logIn(page, person);
    for (const path of ['/accounts', `/accounts/${person.accountId}`]) {
      await page.goto(path);
      await page.getByRole('heading', { name: 'Page not found' }).first().waitFor();
    }
  });
});
