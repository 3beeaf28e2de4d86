import { expect } from 'vitest';
import { appOfWallet } from '../lndhub/app.ts';
import type { Client, Json, TestWallet } from './client.ts';
import { connectApp } from './nwc.ts';

/** Expects that the lists of wallet apps add up to the balance of a wallet: in LNDhub in whole satoshis, in NWC exactly. */
export async function expectListsToEqualBalance(client: Client, wallet: TestWallet): Promise<void> {
  const { balance_msat: balanceMsat }: Json = await client.get(`/v1/wallet/${wallet.id}`);
  const lndhub = appOfWallet(client, wallet);
  const received: Json[] = (await lndhub.get('/getuserinvoices?limit=200')).body;
  const sent: Json[] = (await lndhub.get('/gettxs?limit=200')).body;
  const sat = sum(received.filter(({ ispaid }) => ispaid).map(({ amt }) => amt)) - sum(sent.map(({ value }) => value));
  expect({ sat, received, sent }).toEqual({ sat: Math.floor(balanceMsat / 1000), received, sent });
  const app = await connectApp(client, wallet.id);
  const { transactions }: { transactions: Json[] } = (await app.call('list_transactions')).result;
  app.close();
  const listedMsat = sum(transactions.map(({ type, amount, fees_paid }) => (type === 'incoming' ? amount : -amount - fees_paid)));
  expect({ listedMsat, transactions }).toEqual({ listedMsat: balanceMsat, transactions });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
