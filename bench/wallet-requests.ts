import { perSecond } from './sides.ts';
import { postRequest } from './web.ts';

const INVOICES_AT_ONCE = 32;

/** A running service with funded wallets of one account. */
export interface FundedService {
  readonly url: string;
  readonly secretKey: string;
  /** The ids of the wallets. */
  readonly wallets: readonly string[];
}

/** Options of invoice payments. Without `payer`, the payments come from different wallets. */
export interface PaymentFields {
  readonly payer?: string | undefined;
  readonly passThru?: object;
}

/** Calls the API. @throws unless the response is 2xx */
export async function post<T>({ url, secretKey }: Pick<FundedService, 'url' | 'secretKey'>, path: string, body: object): Promise<T> {
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Returns requests that transfer 1 sat between wallets. They may be sent repeatedly. */
export function transferRequests({ secretKey, wallets }: FundedService): string[] {
  return wallets.map((id, index) =>
    postRequest(`/v1/wallet/${id}/transfer`, secretKey, { dest_wallet_id: wallets[(index * 7 + 1) % wallets.length], num_satoshis: 1 }),
  );
}

/** Creates invoices of all wallets but the first. @returns one request per invoice, which pays it from another wallet of the service */
export async function invoicePaymentRequests(
  service: FundedService,
  count: number,
  { payer, ...fields }: PaymentFields = {},
): Promise<string[]> {
  const { wallets, secretKey } = service;
  const requests: string[] = [];
  await perSecond(count, INVOICES_AT_ONCE, async (index) => {
    const payee = 1 + ((index * 7) % (wallets.length - 1));
    const path = `/v1/wallet/${wallets[payee]}/invoice`;
    const { payment_request } = await post<{ payment_request: string }>(service, path, { num_satoshis: 1 });
    // Any wallet but the payee, which cannot pay its own invoice.
    const other = wallets[(payee + 1 + (index % (wallets.length - 1))) % wallets.length];
    requests.push(postRequest(`/v1/wallet/${payer ?? other}/withdraw`, secretKey, { payment_request, ...fields }));
  });
  return requests;
}
