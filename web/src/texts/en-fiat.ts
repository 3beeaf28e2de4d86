import { formatCount } from './count.ts';
import { inLanguage } from './texts.ts';

/** The English texts of fiat values. They are loaded with the first fiat value, not at the start. */
export const texts = inLanguage('fiat', {
  rate: (price: string, age: string) => `1 BTC = ${price}, set by the operator ${age} ago`,
  rateFrom: (price: string, source: string, age: string) => `1 BTC = ${price}, from ${source}, ${age} ago`,
  minutes: (minutes: number) => (minutes === 0 ? 'less than a minute' : `${formatCount(minutes)} min`),
  hours: (hours: number) => `${formatCount(hours)} h`,
  days: (days: number) => `${formatCount(days)} days`,
  old: (age: string) => `rate ${age} old`,
  oldShort: (age: string) => `${age} old`,
  unit: (currency: string) => `sats and ${currency}`,
  currency: 'Currency',
  noCurrency: 'None',
  currencyHint: 'Stored with your account. You can enter amounts in it when you send, receive and transfer.',
  entry: (label: string, currency: string) => `${label} in ${currency}`,
  entryHint: 'The service converts it at its rate.',
  about: (sats: string) => `About ${sats} sats at the present rate.`,
  entryError: (currency: string) => `A number above 0, with no more decimals than ${currency} has.`,
  removed: 'The operator has removed the fiat rate. Amounts are in sats.',
  card: {
    title: 'Fiat rate',
    hint: 'People who choose fiat values in their settings see what amounts are worth at this rate. The rate is only for display: amounts, limits and fees never depend on it.',
    none: 'No rate is set.',
    old: (age: string) => `The rate is ${age} old, and is marked as old wherever it is shown. Set it again, or remove it.`,
    currency: 'Currency',
    price: 'Price of 1 BTC',
    priceHint: 'Such as 61234.50.',
    priceError: 'A number above 0, such as 61234.50.',
    set: 'Set rate',
    remove: 'Remove rate',
  },
});
