import { randomUUID } from 'node:crypto';
import type { Cookie, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type App, type FakeNodeApp, onFakeNodeWithSqlite, onPlaygroundAndFakeNode } from './app.ts';
import { type PageOptions, useChromium } from './chromium.ts';
import type { Client } from './client.ts';

/*
 * The dashboard in a real browser, on a service in this process with SQLite: the dashboard does not depend on the database.
 *
 *   onDashboard('the wallets', ({ client, openLoggedIn }) => {
 *     it('are listed', async () => {
 *       await client.wallet(1000);
 *       const page = await openLoggedIn('/wallets', { device: 'phone' });
 *       await page.getByText('1 000').waitFor();
 *     });
 *   });
 */

/** A person who can log in. */
export interface Person {
  readonly accountId: string;
  readonly email: string;
  readonly password: string;
}

export interface Pages {
  /** Opens a page without a login. Without a path it stays empty. */
  open(path?: string, options?: PageOptions): Promise<Page>;
  /** Opens a page on which the operator is logged in: `client` is of the same account. */
  openLoggedIn(path?: string, options?: PageOptions): Promise<Page>;
  /** Logs the operator in, or `person`: the first time through the form, then with the cookie of that session. */
  logIn(page: Page, person?: Person): Promise<Person>;
  /** Creates a setup link of the account, which is the operator's by default. */
  setupLink(accountId?: string): Promise<string>;
  /** Creates an account whose owner can log in, through the API. */
  newPerson(fields?: object): Promise<Person>;
  /** The problems of the pages of this test so far. */
  browserProblems(): readonly string[];
}

export type Dashboard = FakeNodeApp & Pages;

/** Runs a suite with a browser against the service on the fake node. */
export function onDashboard(name: string, suite: (dashboard: Dashboard) => void, settings: Record<string, string> = {}): void {
  onFakeNodeWithSqlite(name, (app) => suite(withPages(app)), settings);
}

/**
 * Runs a suite with a browser against the service on the playground, three real LDK nodes, and on a fake node, to which nothing is placed
 * that does not name it. Slow.
 */
export function onPlaygroundDashboard(name: string, suite: (dashboard: Dashboard) => void, settings: Record<string, string> = {}): void {
  onPlaygroundAndFakeNode(name, (app) => suite(withPages(app)), settings);
}

function withPages<T extends App>(app: T): T & Pages {
  return Object.assign(app, pagesOf(app.client));
}

function pagesOf(client: Client): Pages {
  const chromium = useChromium();
  const cookies = new Map<string, Cookie[]>();
  let operator: Person | undefined;

  async function setupLink(accountId?: string): Promise<string> {
    const id = accountId ?? (await operatorId(client));
    const { setup_url } = await client.post(`/v1/accounts/${id}/setup-link`, {});
    return `/setup${new URL(setup_url).hash}`;
  }
  async function setUp(accountId: string): Promise<Person> {
    const person = { accountId, email: `${randomUUID().slice(0, 8)}@example.com`, password: `password ${randomUUID()}` };
    const token = (await setupLink(accountId)).split('#')[1];
    const json = { token, email: person.email, password: person.password };
    const response = await client.request('POST', '/v1/session/setup', { json, headers: { 'sec-fetch-site': 'same-origin' } });
    if (response.status !== 201) throw new Error(`no login was set up: ${response.text}`);
    return person;
  }
  async function operatorLogin(): Promise<Person> {
    operator ??= await setUp(await operatorId(client));
    return operator;
  }
  async function logIn(page: Page, given?: Person): Promise<Person> {
    const person = given ?? (await operatorLogin());
    const known = cookies.get(person.email);
    if (known) {
      await page.context().addCookies(known);
      return person;
    }
    await page.goto('/login');
    await fillLogin(page, person);
    await page.waitForURL('**/wallets');
    cookies.set(person.email, await page.context().cookies());
    return person;
  }
  async function open(path?: string, options?: PageOptions): Promise<Page> {
    const page = await chromium.open(client.url, options);
    if (path !== undefined) await page.goto(path);
    return page;
  }
  return {
    open,
    async openLoggedIn(path, options) {
      const page = await open(undefined, options);
      await logIn(page);
      if (path !== undefined) await page.goto(path);
      return page;
    },
    logIn,
    setupLink,
    newPerson: async (fields = {}) => setUp((await client.post('/v1/accounts', { invite: true, ...fields })).id),
    browserProblems: chromium.problems,
  };
}

/** Fills the form of /login and submits it. */
export async function fillLogin(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Chooses a wallet in a `WalletSelect`, by its label or id. */
export async function chooseWallet(field: Locator, wallet: string): Promise<void> {
  await field.fill(wallet);
  await field.page().getByRole('option', { name: wallet, exact: true }).click();
}

/** On a phone, Send ignores a tap that may have been meant for a number key that it has replaced. People then tap again. */
export async function tapSend(page: Page, name: string): Promise<void> {
  const send = page.getByRole('button', { name });
  await send.waitFor();
  const tap = async () => {
    if ((await send.count()) > 0) await send.click({ timeout: 1000 }).catch(() => undefined);
    return send.count();
  };
  await expect.poll(tap, { interval: 500 }).toBe(0);
}

/** The first account is the operator's. */
async function operatorId(client: Client): Promise<string> {
  const accounts = await client.get('/v1/accounts');
  return accounts.at(-1).id;
}
