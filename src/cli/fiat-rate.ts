import type { Command } from 'commander';
import type { FiatRate } from '../../client/satchel.js';
import { systemClock, unixSeconds } from '../core/kernel/clock.ts';
import { printAction, serviceAction, withKey } from './service.ts';
import { moment, span } from './table.ts';
import { EXIT, noun, verb } from './verb.ts';

/** `satchel fiat-rate`: shows, sets or removes the fiat rate. */
export function addFiatRate(program: Command): void {
  const rate = noun(program, 'fiat-rate', 'Set the rate at which the dashboard shows fiat values', 'fiat-rate set EUR 61234.50');

  withKey(verb(rate, { name: 'show', summary: 'Show the rate and its age', example: 'fiat-rate show' })).action(
    serviceAction(async ({ service, output }) => {
      const now = await service.service.getFiatRate();
      const setAt = now.set_at ?? 0;
      const age = span(Math.max(0, unixSeconds(systemClock) - setAt));
      await output.print(
        now,
        now.per_btc === null ? 'No fiat rate is set.' : `1 BTC is ${describe(now)}, set at ${moment(setAt)}, ${age} ago.`,
      );
      return EXIT.done;
    }),
  );

  withKey(
    verb(rate, {
      name: 'set',
      summary: 'Set the price of one bitcoin',
      details: 'It is only for display: amounts, limits and fees never depend on it. The service records the operator and the time.',
      example: 'fiat-rate set EUR 61234.50',
    }),
  )
    .argument('<currency>', 'an ISO 4217 code')
    .argument('<price>', 'a decimal number above 0')
    .action(
      printAction(
        ({ service, args: [currency = '', price = ''] }) =>
          service.operator.setFiatRate({ currency: currency.toUpperCase(), per_btc: price }),
        (set) => `Done: 1 BTC is shown as ${describe(set)}.`,
      ),
    );

  withKey(verb(rate, { name: 'remove', summary: 'Show no fiat values', example: 'fiat-rate remove' })).action(
    serviceAction(async ({ service, output }) => {
      await service.operator.removeFiatRate();
      await output.print({ currency: null, per_btc: null, set_at: null }, 'Done: no fiat value is shown.');
      return EXIT.done;
    }),
  );
}

function describe({ currency, per_btc }: FiatRate): string {
  return `${per_btc} ${currency}`;
}
