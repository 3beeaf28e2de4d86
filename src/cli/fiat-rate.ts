import { systemClock, unixSeconds } from '../core/kernel/clock.ts';
import { changeFiatRate, isCurrency, PER_BTC_PATTERN, readFiatRate } from '../features/operator/fiat-rate.ts';
import { exitWithUsage, operatorName, readArguments } from './command.ts';
import { EXIT, exitNotDone, runCommand } from './operator-command.ts';
import { moment, span } from './table.ts';

const USAGE = `npm run --silent fiat-rate -- [<currency> <price of one bitcoin> | remove]

Shows, sets or removes the fiat rate. The service may be running. The dashboard shows fiat values at this rate. It is only for display:
amounts, limits and fees never depend on it. The operator and the time are recorded.
  <currency>  an ISO 4217 code, such as EUR
  <price>     a decimal number above 0 such as 61234.50, with at most 15 digits before the point and 8 after it
Exit code 0: done. 2: not done.`;

/** `npm run fiat-rate`: shows, sets or removes the fiat rate. */
async function main(): Promise<void> {
  const [first, perBtc] = readArguments(USAGE, {}, 2).words;
  if (first === undefined) return show();
  if (first === 'remove' && perBtc === undefined) return change(undefined);
  if (first === 'remove' || perBtc === undefined) exitWithUsage(USAGE);
  const currency = first.toUpperCase();
  if (!isCurrency(currency)) exitNotDone('The currency must be an ISO 4217 code, such as EUR.');
  if (!new RegExp(PER_BTC_PATTERN).test(perBtc))
    exitNotDone('The price must be a decimal number above 0 such as 61234.50, with at most 15 digits before the point and 8 after it.');
  return change({ currency, perBtc });
}

function show(): Promise<void> {
  return runCommand(async (database) => {
    const rate = await readFiatRate(database);
    const age = span(Math.max(0, unixSeconds(systemClock) - (rate?.setAt ?? 0)));
    process.stdout.write(
      rate ? `1 BTC is ${rate.perBtc} ${rate.currency}, set at ${moment(rate.setAt)}, ${age} ago.\n` : 'No fiat rate is set.\n',
    );
    return EXIT.done;
  });
}

function change(rate: { readonly currency: string; readonly perBtc: string } | undefined): Promise<void> {
  return runCommand(async (database) => {
    const id = await changeFiatRate(database, rate, { requestedBy: operatorName(), now: unixSeconds(systemClock) });
    process.stdout.write(
      rate ? `Done: 1 BTC is shown as ${rate.perBtc} ${rate.currency}. (${id})\n` : `Done: no fiat value is shown. (${id})\n`,
    );
    return EXIT.done;
  });
}

await main();
