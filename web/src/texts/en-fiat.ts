/** The English texts of fiat values. They are loaded with the first fiat value, not at the start. */
export const texts = {
  rate: (price: string, age: string) => `1 BTC = ${price}, set by the operator ${age} ago`,
  minutes: (minutes: number) => (minutes === 0 ? 'less than a minute' : `${minutes} min`),
  hours: (hours: number) => `${hours} h`,
  days: (days: number) => `${days} days`,
  old: (age: string) => `rate ${age} old`,
  oldShort: (age: string) => `${age} old`,
  unit: (currency: string) => `sats and ${currency}`,
  removed: 'The operator has removed the fiat rate. Amounts are in sats.',
  card: {
    title: 'Fiat rate',
    hint: 'People who choose fiat values in their settings see what amounts are worth at this rate. The rate is only for display: amounts, limits and fees never depend on it.',
    none: 'No rate is set.',
    old: (age: string) => `The rate is ${age} old, and is marked as old wherever it is shown. Set it again, or remove it.`,
    currency: 'Currency',
    price: 'Price of 1 BTC',
    priceHint: 'With a decimal point, such as 61234.50.',
    priceError: 'A number above 0 with a decimal point and no separators, such as 61234.50.',
    set: 'Set rate',
    remove: 'Remove rate',
  },
};
