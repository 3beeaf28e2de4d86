import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { parseAllowList } from '../../src/core/outbound/addresses.ts';
import { Outbound } from '../../src/core/outbound/outbound.ts';
import type { App } from '../support/app.ts';
import type { Client, Json } from '../support/client.ts';

/** What a provider does with a request. */
export type Behavior = (response: ServerResponse, request: IncomingMessage) => void;

/** A provider of rates on a loopback address, which behaves as a test says. */
export class RateSource {
  /** Whatever the URL is. */
  behave: Behavior;
  requests = 0;
  readonly #server = createServer((request, response) => {
    this.requests += 1;
    this.behave(response, request);
  });

  private constructor(price: unknown) {
    this.behave = sends(price);
  }

  static async start(price: unknown): Promise<RateSource> {
    const source = new RateSource(price);
    await new Promise<void>((resolve) => source.#server.listen(0, '127.0.0.1', resolve));
    return source;
  }

  /** Makes it return a price. */
  set price(price: unknown) {
    this.behave = sends(price);
  }

  /** The settings of a service with these currencies, whose rate changes only when a test says so. */
  settings(currencies: string): Record<string, string> {
    const rates = { FIAT_RATES: this.entry, FIAT_CURRENCIES: currencies, FIAT_RATE_MAX_AGE_SECONDS: '86400' };
    return { ...rates, OUTBOUND_ALLOW: '127.0.0.1' };
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The entry of FIAT_RATES. */
  get entry(): string {
    return `http://${this.host}/BTC-{currency}#data.amount`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Returns a price at the path of {@link RateSource.entry}. */
export function sends(price: unknown): Behavior {
  return raw(JSON.stringify({ data: { amount: price } }));
}

/** Sends a text as it is. */
export function raw(text: string, status = 200, headers: Record<string, string> = {}): Behavior {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** The HTTP client of the service, which may reach loopback addresses. */
export function loopbackOutbound(): Outbound {
  return new Outbound({ allow: parseAllowList('127.0.0.1'), proxy: undefined, log: { debug() {} } });
}

/** Returns the price of the currency in the URL of {@link RateSource.entry}. */
export function sendsPrices(prices: Readonly<Record<string, string>>): Behavior {
  return (response, request) => sends(prices[request.url?.slice(-3) ?? ''])(response, request);
}

/** Changes the prices of all currencies of a service, and waits until their rates are accepted. */
export async function setPrices(client: Client, source: RateSource, prices: Readonly<Record<string, string>>): Promise<void> {
  source.behave = sendsPrices(prices);
  const isAccepted = ({ currency, rate, status }: Json) => rate === prices[currency] && status === 'valid';
  await vi.waitUntil(async () => (await client.get('/v1/rates')).every(isAccepted), { timeout: 150_000, interval: 10 });
}

/** Makes the provider stall, and waits until a refresh waits for it: an earlier one has stored by then what it had read. */
export async function stall(source: RateSource): Promise<void> {
  source.behave = () => undefined;
  const before = source.requests;
  await vi.waitUntil(() => source.requests > before, { timeout: 150_000, interval: 10 });
}

/** Makes the accepted rates old. The provider stalls, so that no new ones replace them. */
export async function makeStale({ client, execute }: App, source: RateSource): Promise<void> {
  source.behave = () => undefined;
  const isStale = ({ status }: Json) => status === 'stale';
  await vi.waitUntil(
    async () => {
      await execute('UPDATE market_rate SET rate_at = 1, earlier_at = NULL, earlier_rate = NULL, earlier_source = NULL');
      return (await client.get('/v1/rates')).every(isStale);
    },
    { timeout: 150_000 },
  );
}
