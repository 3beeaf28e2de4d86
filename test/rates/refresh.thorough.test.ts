import { afterEach, expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import type { Outbound } from '../../src/core/outbound/outbound.ts';
import { CONFIRMATIONS } from '../../src/core/rates/agreement.ts';
import { createRates, parseRateProviders } from '../../src/core/rates/rates.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';
import { type Behavior, loopbackOutbound, RateSource, raw, sends } from './rate-source.ts';

const MAX_AGE_SECONDS = 600;
const PRICE = { amount: '10.00', currency: 'EUR' };
const UNAVAILABLE = { type: 'rate_unavailable', status: 503 };

const running: RateSource[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((source) => source.close()));
});

/** Returns rates with a provider for each price, and the clock that they use. */
async function ratesOf(database: Database, prices: readonly unknown[], currencies: readonly string[] = ['EUR']) {
  const sources = await Promise.all(prices.map((price) => RateSource.start(price)));
  running.push(...sources);
  const clock = { seconds: 1_000_000, nowMs: () => clock.seconds * 1000 };
  const alerts = createAlerts(database, clock, silentLog);
  const fiat = {
    providers: parseRateProviders(sources.map(({ entry }) => entry).join(' ')),
    currencies,
    refreshSeconds: 60,
    maxAgeSeconds: MAX_AGE_SECONDS,
  };
  const options = { database, alerts, outbound: impatientWith(sources), clock, fiat };
  const rates = createRates(options);
  /** Refreshes a number of times, a minute apart. */
  async function refresh(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      clock.seconds += 60;
      await rates.refresh(new AbortController().signal);
    }
  }
  const openAlerts = async () => (await alerts.listOpen()).map(({ kind, subject, message }) => ({ kind, subject, message }));
  const rate = async () => (await rates.list())[0]?.rate?.rate;
  /** Accepts a jump, as the operator does in the dashboard. */
  async function accept(subject: string): Promise<void> {
    const alert = (await alerts.listOpen()).find((one) => one.subject === subject);
    await database.transaction((tx) => alerts.closeIn(tx, alert?.id ?? '', 'bob', 'the price is right'));
  }
  const restarted = () => createRates(options);
  return { rates, sources: sources as [RateSource, ...RateSource[]], clock, refresh, openAlerts, rate, accept, restarted };
}

/** Waits only for providers that are going to respond. */
function impatientWith(sources: readonly RateSource[]): Outbound {
  const outbound = loopbackOutbound();
  const getJson = outbound.getJson.bind(outbound);
  outbound.getJson = (url, options) =>
    getJson(url, sources.some(({ behave }) => STALLING.includes(behave)) ? { ...options, timeoutMs: 100 } : options);
  return outbound;
}

const stalls: Behavior = () => undefined;
const stallsLater: Behavior = (response) => void response.writeHead(200).write('{"data":');
const STALLING: readonly Behavior[] = [stalls, stallsLater];
const hangsUp: Behavior = (response) => void response.destroy();
/** The other address has a price that would be accepted. */
const redirects: Behavior = (response, request) =>
  request.url === '/other' ? sends('60500')(response, request) : raw('', 302, { location: '/other' })(response, request);

const BROKEN: readonly (readonly [name: string, behavior: Behavior, reason: string])[] = [
  ['stalls', stalls, 'did not respond in time'],
  ['stalls in the middle of its response', stallsLater, 'did not respond in time'],
  ['hangs up', hangsUp, 'gave no valid response'],
  ['sends 10 MB', raw(`{"data":{"amount":"60000","more":"${'x'.repeat(10_000_000)}"}}`), 'gave no valid response'],
  ['redirects to a price', redirects, 'redirected'],
  ['redirects to another host', raw('', 307, { location: 'https://rates.example.com/' }), 'redirected'],
  ['responds 500 with a price', raw('{"data":{"amount":"60000"}}', 500), 'responded with the status 500'],
  ['responds 429', raw('{}', 429), 'responded with the status 429'],
  ['sends HTML', raw('<html>60000</html>'), 'not JSON'],
  ['sends nothing', raw(''), 'not JSON'],
  ['sends JSON that nests deeply', raw(`${'['.repeat(5000)}${']'.repeat(5000)}`), 'not JSON'],
  ['has no price at the path', raw('{"data":{"price":"60000"}}'), 'returned no price'],
  ['sends null', sends(null), 'returned no price'],
  ['sends an object', sends({ EUR: 60_000 }), 'returned no price'],
  ['sends 0', sends('0'), 'no positive decimal number'],
  ['sends 0.00', sends('0.00'), 'no positive decimal number'],
  ['sends a negative price', sends(-60_000), 'no positive decimal number'],
  ['sends a negative text', sends('-60000'), 'no positive decimal number'],
  ['sends a price below the smallest unit', sends('0.000000001'), 'no positive decimal number'],
  ['sends a number beyond all numbers', raw('{"data":{"amount":1e999}}'), 'no positive decimal number'],
  ['sends a large exponent', raw('{"data":{"amount":6e21}}'), 'no positive decimal number'],
  ['sends a text with an exponent', sends('6e4'), 'no positive decimal number'],
  ['sends NaN', sends('NaN'), 'no positive decimal number'],
  ['sends an empty text', sends(''), 'no positive decimal number'],
  ['sends a decimal comma', sends('60000,50'), 'no positive decimal number'],
  ['sends groups of digits', sends('60 000'), 'no positive decimal number'],
  ['sends hexadecimal digits', sends('0xEA60'), 'no positive decimal number'],
  ['sends a boolean', sends(true), 'no positive decimal number'],
  ['sends a price of a thousand digits', sends('6'.repeat(1000)), 'no positive decimal number'],
  ['sends other digits of Unicode', sends('٦٠٠٠٠'), 'no positive decimal number'],
];

onBothDatabases('the rates', (open) => {
  it('have the price of a single provider, exactly as it sent it', async () => {
    const { rates, sources, clock, refresh, openAlerts } = await ratesOf(await open(), ['61234.56789']);
    expect(await rates.list()).toEqual([{ currency: 'EUR', rate: undefined, status: 'missing' }]);
    await expect(rates.convert(PRICE)).rejects.toMatchObject(UNAVAILABLE);
    await refresh();
    const rate = { currency: 'EUR', rate: '61234.56789', rate_at: clock.seconds, rate_source: sources[0].host };
    expect(await rates.list()).toEqual([{ currency: 'EUR', rate, status: 'valid' }]);
    // 10 / 61234.56789 BTC are 16330.64…sat.
    expect(await rates.convert(PRICE)).toEqual({ amountMsat: 16_331_000, fiat: { ...PRICE, ...rate } });
    for (const [sent, stored] of [
      [61_500.25, '61500.25'],
      ['61400.123456789123', '61400.12345678'],
      ['061300.50', '61300.5'],
    ] as const) {
      sources[0].price = sent;
      await refresh();
      expect((await rates.list())[0]?.rate?.rate).toBe(stored);
    }
    expect(await openAlerts()).toEqual([]);
  });

  it('have the median of the providers that answer, and name those that agree', async () => {
    const { rates, sources, refresh, rate } = await ratesOf(await open(), ['60000', '60300', '60100', '60200']);
    await refresh();
    expect(await rate()).toBe('60150');
    sources[1]?.close();
    await refresh();
    expect(await rate()).toBe('60100');
    const [state] = await rates.list();
    expect(state?.rate?.rate_source.split(' ').sort()).toEqual([sources[0].host, sources[2]?.host, sources[3]?.host].sort());
  });

  it.each(BROKEN)('are not changed by a provider that %s, which raises an alert', async (_name, behavior, reason) => {
    const { rates, sources, refresh, openAlerts } = await ratesOf(await open(), ['60000']);
    await refresh();
    const before = await rates.list();
    sources[0].behave = behavior;
    await refresh(3);
    expect(await rates.list()).toEqual(before);
    const message = expect.stringContaining(reason);
    expect(await openAlerts()).toEqual([{ kind: 'fiat_rate', subject: `EUR ${sources[0].host}`, message }]);
    sources[0].price = '60100';
    await refresh();
    expect(await openAlerts()).toEqual([]);
  });

  it('exclude a price that differs by more than 3 % from the others, and raise an alert that has it', async () => {
    const { sources, refresh, rate, openAlerts } = await ratesOf(await open(), ['60000', '60100', '60200']);
    await refresh();
    for (const wrong of ['57000', '63000', '1', '99999999999999', '0.00000001']) {
      if (sources[1]) sources[1].price = wrong;
      await refresh();
      expect(await rate()).toBe('60100');
      const message = expect.stringContaining(`${wrong} EUR, which differs by more than 3 % from the others`);
      expect(await openAlerts()).toEqual([{ kind: 'fiat_rate', subject: `EUR ${sources[1]?.host}`, message }]);
    }
    if (sources[1]) sources[1].price = '60105';
    await refresh();
    expect([await rate(), await openAlerts()]).toEqual(['60105', []]);
  });

  it('keep the old rate while two providers disagree, with an alert', async () => {
    const { sources, refresh, rate, openAlerts } = await ratesOf(await open(), ['60000', '60100']);
    await refresh();
    if (sources[1]) sources[1].price = '66000';
    await refresh(CONFIRMATIONS + 1);
    expect(await rate()).toBe('60050');
    expect(await openAlerts()).toEqual([
      { kind: 'fiat_rate', subject: 'EUR', message: expect.stringContaining('The providers disagree about EUR') },
    ]);
  });

  it.each([
    ['50 % up', '90000'],
    ['a third down', '40000'],
    ['to a thousandth', '60'],
    ['to a thousand times as much', '60000000'],
  ])('do not take a jump %s before five refreshes have confirmed it', async (_name, price) => {
    const { rates, sources, refresh, rate, openAlerts, clock } = await ratesOf(await open(), ['60000']);
    await refresh();
    sources[0].price = price;
    await refresh(CONFIRMATIONS - 1);
    expect(await rate()).toBe('60000');
    const message = expect.stringContaining(`${price} EUR, and was 60000 before. It is not used until it is confirmed.`);
    expect(await openAlerts()).toEqual([{ kind: 'fiat_rate', subject: 'EUR', message }]);
    expect((await rates.convert(PRICE)).fiat.rate).toBe('60000');
    await refresh();
    expect([await rate(), await openAlerts()]).toEqual([price, []]);
    expect((await rates.list())[0]?.rate?.rate_at).toBe(clock.seconds);
  });

  it('take smaller changes at once', async () => {
    const { sources, refresh, rate, openAlerts } = await ratesOf(await open(), ['60000']);
    for (const price of ['60000', '89999.99', '60001', '60000']) {
      sources[0].price = price;
      await refresh();
      expect(await rate()).toBe(price);
    }
    expect(await openAlerts()).toEqual([]);
  });

  it('move by less than half in an hour without confirmation, in however many steps', async () => {
    const { sources, refresh, rate, openAlerts } = await ratesOf(await open(), ['50000', '50000', '50000']);
    const send = async (price: string) => {
      for (const source of sources) source.price = price;
      await refresh();
      return rate();
    };
    expect([await send('50000'), await send('74500'), await send('111005')]).toEqual(['50000', '74500', '74500']);
    expect(await openAlerts()).toMatchObject([{ subject: 'EUR', message: expect.stringContaining('until it is confirmed') }]);
    // Down again is as far from the highest rate of the hour as from the lowest one up.
    expect([await send('50000'), await send('49700'), await send('49000')]).toEqual(['50000', '49700', '49700']);
    await send('74000');
    await refresh(59);
    expect([await send('75000'), await openAlerts()]).toEqual(['75000', []]);
    expect(await send('111001')).toBe('75000');
    await refresh(CONFIRMATIONS - 1);
    expect(await rate()).toBe('111001');
    // The confirmed jump begins a new hour.
    expect(await send('166000')).toBe('166000');
  });

  it('do not take a jump of all providers together at once', async () => {
    const { sources, refresh, rate, openAlerts } = await ratesOf(await open(), ['60000', '60000', '60000']);
    await refresh();
    for (const source of sources) source.price = '90000';
    await refresh(CONFIRMATIONS - 1);
    expect(await rate()).toBe('60000');
    expect(await openAlerts()).toMatchObject([{ kind: 'fiat_rate', subject: 'EUR' }]);
    await refresh();
    expect(await rate()).toBe('90000');
  });

  it('never take prices that jump to and fro', async () => {
    const { sources, refresh, rate } = await ratesOf(await open(), ['60000']);
    await refresh();
    for (let round = 0; round < 2 * CONFIRMATIONS; round++) {
      sources[0].price = round % 2 === 0 ? '1' : '900000';
      await refresh();
      expect(await rate()).toBe('60000');
    }
    // A confirmation that is interrupted begins again.
    sources[0].price = '120000';
    await refresh(CONFIRMATIONS - 1);
    sources[0].price = '60000';
    await refresh();
    sources[0].price = '120000';
    await refresh(CONFIRMATIONS - 1);
    expect(await rate()).toBe('60000');
  });

  it('take a jump that the operator accepts by closing the alert, and no other one', async () => {
    const { sources, refresh, rate, accept, openAlerts } = await ratesOf(await open(), ['60000']);
    await refresh();
    sources[0].price = '120000';
    await refresh();
    await accept('EUR');
    sources[0].price = '240000';
    await refresh();
    expect(await rate()).toBe('60000');
    sources[0].price = '121000';
    await refresh();
    expect(await rate()).toBe('60000');
    await accept('EUR');
    await refresh();
    expect([await rate(), await openAlerts()]).toEqual(['121000', []]);
    sources[0].price = '60000';
    await refresh();
    expect(await rate()).toBe('121000');
  });

  it('have no first rate of a minority of the providers, unless the operator accepts it', async () => {
    const { sources, refresh, rate, openAlerts, accept } = await ratesOf(await open(), ['60000', '60100', '60200']);
    for (const source of sources.slice(1)) source.behave = hangsUp;
    await refresh(2 * CONFIRMATIONS);
    expect(await rate()).toBeUndefined();
    expect(await openAlerts()).toContainEqual({
      kind: 'fiat_rate',
      subject: 'EUR',
      message: expect.stringContaining('60000 EUR, and is the first one. Only a minority of the providers responds.'),
    });
    await accept('EUR');
    await refresh();
    expect(await rate()).toBe('60000');
  });

  it.each([
    ['9.5 % up', 1.095],
    ['2.9 % up', 1.029],
    ['2.9 % down', 0.971],
  ])('are not moved by a minority of the providers in steps of %s, which raises an alert', async (_name, step) => {
    const { rates, sources, refresh, rate, openAlerts } = await ratesOf(await open(), ['50000', '50000', '50000']);
    await refresh();
    for (const source of sources.slice(1)) source.behave = hangsUp;
    for (let [round, price] = [0, 50_000]; round < 8; round++) {
      price *= step;
      sources[0].price = price.toFixed(2);
      await refresh();
      expect(await rate()).toBe('50000');
    }
    expect(await openAlerts()).toContainEqual({
      kind: 'fiat_rate',
      subject: 'EUR',
      message: expect.stringContaining('and was 50000 before. Only a minority of the providers responds.'),
    });
    for (const source of sources) source.price = '50100';
    await refresh();
    expect([await rate(), await openAlerts()]).toEqual(['50100', []]);
    expect((await rates.convert(PRICE)).fiat.rate).toBe('50100');
  });

  it('are kept for an hour by a minority that returns nearly the same price, with an alert after three refreshes', async () => {
    const { rates, sources, clock, refresh, rate, openAlerts, accept } = await ratesOf(await open(), ['60000', '60000']);
    await refresh();
    if (sources[1]) sources[1].behave = hangsUp;
    sources[0].price = '61000';
    await refresh(2);
    expect(await openAlerts()).toEqual([]);
    await refresh(58);
    expect((await rates.list())[0]).toMatchObject({ status: 'valid', rate: { rate: '60000', rate_at: clock.seconds } });
    expect(await openAlerts()).toContainEqual({
      kind: 'fiat_rate',
      subject: 'EUR',
      message: expect.stringContaining('Only a minority of the providers returns a price for EUR. It does not change the rate of 60000'),
    });
    await refresh(MAX_AGE_SECONDS / 60 + 1);
    expect((await rates.list())[0]?.status).toBe('stale');
    await expect(rates.convert(PRICE)).rejects.toMatchObject(UNAVAILABLE);
    await accept('EUR');
    await refresh(60);
    expect([await rate(), (await rates.list())[0]?.status]).toEqual(['61000', 'valid']);
  });

  it('return at once to the price of a majority, wherever the operator has moved the rate with a minority', async () => {
    const { sources, refresh, rate, openAlerts, accept } = await ratesOf(await open(), ['50000', '50000', '50000']);
    await refresh();
    for (const source of sources.slice(1)) source.behave = hangsUp;
    sources[0].price = '120000';
    await refresh();
    await accept('EUR');
    await refresh();
    expect(await rate()).toBe('120000');
    for (const source of sources.slice(1)) source.price = '50200';
    await refresh();
    expect(await rate()).toBe('50200');
    expect(await openAlerts()).toMatchObject([{ subject: `EUR ${sources[0].host}` }]);
  });

  it('are stale after their maximum age: no amount is converted, and an alert states it', async () => {
    const { rates, sources, clock, refresh, openAlerts } = await ratesOf(await open(), ['60000']);
    await refresh();
    sources[0].behave = stalls;
    clock.seconds += MAX_AGE_SECONDS - 60;
    await refresh();
    expect((await rates.list())[0]?.status).toBe('valid');
    await rates.convert(PRICE);
    clock.seconds += 1;
    expect((await rates.list())[0]).toMatchObject({ status: 'stale', rate: { rate: '60000' } });
    await expect(rates.convert(PRICE)).rejects.toMatchObject(UNAVAILABLE);
    await expect(rates.validRates('EUR')).rejects.toMatchObject(UNAVAILABLE);
    await refresh();
    expect(await openAlerts()).toContainEqual({
      kind: 'fiat_rate',
      subject: 'EUR',
      message: expect.stringContaining('the last one is too old'),
    });
    sources[0].price = '60001';
    await refresh();
    expect((await rates.list())[0]).toMatchObject({ status: 'valid', rate: { rate: '60001' } });
    expect(await openAlerts()).toEqual([]);
  });

  it('from the future are stale, too, because a clock was wrong', async () => {
    const { rates, clock, refresh } = await ratesOf(await open(), ['60000']);
    await refresh();
    clock.seconds -= MAX_AGE_SECONDS + 1;
    await expect(rates.convert(PRICE)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('are independent of each other', async () => {
    const { rates, sources, refresh, openAlerts } = await ratesOf(await open(), ['60000'], ['EUR', 'JPY']);
    sources[0].behave = (response, request) => sends(request.url === '/BTC-JPY' ? 'garbage' : '60000')(response, request);
    await refresh(3);
    expect((await rates.list()).map(({ currency, status }) => [currency, status])).toEqual([
      ['EUR', 'valid'],
      ['JPY', 'missing'],
    ]);
    expect((await openAlerts()).map(({ subject }) => subject).sort()).toEqual(['JPY', `JPY ${sources[0].host}`]);
  });

  it('raise an alert once while its cause stays, also after a restart, which clears it when the cause is gone', async () => {
    const database = await open();
    const { sources, clock, refresh, openAlerts, restarted } = await ratesOf(database, ['60000']);
    await refresh();
    sources[0].price = 'garbage';
    await refresh(6);
    expect(await openAlerts()).toHaveLength(1);
    const again = restarted();
    clock.seconds += 60;
    await again.refresh(new AbortController().signal);
    expect(await openAlerts()).toHaveLength(1);
    sources[0].price = '60000';
    await again.refresh(new AbortController().signal);
    expect(await openAlerts()).toEqual([]);
  });

  it('stay as they are when the service stops during a refresh', async () => {
    const { rates, sources, refresh, openAlerts } = await ratesOf(await open(), ['60000']);
    await refresh();
    const before = await rates.list();
    const stopping = new AbortController();
    sources[0].behave = (response, request) => {
      sends('61000')(response, request);
      stopping.abort();
    };
    for (let time = 0; time < 4; time++) await rates.refresh(stopping.signal);
    expect([await rates.list(), await openAlerts()]).toEqual([before, []]);
  });
});
