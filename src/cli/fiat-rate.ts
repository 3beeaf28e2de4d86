import type { FiatRate, SatchelClient } from '../../client/satchel.js';
import { systemClock, unixSeconds } from '../core/kernel/clock.ts';
import { exitWithUsage, readArguments } from './command.ts';
import { EXIT, runOnService } from './service.ts';
import { moment, span } from './table.ts';

const USAGE = `npm run --silent fiat-rate -- [<currency> <price of one bitcoin> | remove]

Shows, sets or removes the fiat rate. The dashboard shows fiat values at this rate. It is only for display: amounts, limits and fees never
depend on it. The service records the operator and the time.
  <currency>  an ISO 4217 code, such as EUR
  <price>     a decimal number above 0 such as 61234.50, with at most 15 digits before the point and 8 after it
Exit code 0: done. 1: refused. 2: not done.`;

/** `npm run fiat-rate`: shows, sets or removes the fiat rate. */
async function main(): Promise<void> {
  const [first, price] = readArguments(USAGE, {}, 2).words;
  if (first === undefined) return runOnService(show);
  if ((first === 'remove') !== (price === undefined)) exitWithUsage(USAGE);
  await runOnService(async (service) => {
    if (price === undefined) await service.operator.removeFiatRate();
    const rate = price === undefined ? undefined : await service.operator.setFiatRate({ currency: first.toUpperCase(), per_btc: price });
    process.stdout.write(rate ? `Done: 1 BTC is shown as ${describe(rate)}.\n` : 'Done: no fiat value is shown.\n');
    return EXIT.done;
  });
}

async function show(service: SatchelClient): Promise<number> {
  const rate = await service.service.getFiatRate();
  const setAt = rate.set_at ?? 0;
  const age = span(Math.max(0, unixSeconds(systemClock) - setAt));
  process.stdout.write(
    rate.per_btc === null ? 'No fiat rate is set.\n' : `1 BTC is ${describe(rate)}, set at ${moment(setAt)}, ${age} ago.\n`,
  );
  return EXIT.done;
}

function describe({ currency, per_btc }: FiatRate): string {
  return `${per_btc} ${currency}`;
}

await main();
