import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../web/src/screens/payouts/parse-csv.ts';

describe('the preview of a payout', () => {
  it('has the lines, their sum, and the invoices that state their amounts', () => {
    const text =
      '\uFEFFdestination,num_satoshis,num_msat,memo\r\nbob@example.com,5,,"a ""b"", c"\r\n\r\nwal_1,,1500,\r\nLNBC10u1xyz,,,rent\r\n';
    expect(parseCsv(text)).toEqual({
      lines: [
        { destination: 'bob@example.com', num_satoshis: 5, memo: 'a "b", c' },
        { destination: 'wal_1', num_msat: 1500 },
        { destination: 'LNBC10u1xyz', memo: 'rent' },
      ],
      // The invoice is for 1,000 sats. Each fee limit is at least 10 sats; a transfer has none.
      sumMsat: 1_006_500,
      feeLimitMsat: 60_000,
      ownAmounts: 1,
      prices: 0,
      problems: [],
    });
  });

  it('has amounts in a currency, which the service converts', () => {
    const text =
      'destination,amount,currency,num_satoshis\nbob@example.com,12.50,EUR,\nwal_1,1,EUR,5\nwal_1,1,,\nwal_1,"1,5",EUR,\nwal_1,0.00,EUR,';
    const { lines, sumMsat, ownAmounts, prices, problems } = parseCsv(text);
    expect([lines, sumMsat, ownAmounts, prices]).toEqual([[{ destination: 'bob@example.com', amount: '12.50', currency: 'EUR' }], 0, 0, 1]);
    expect(problems).toEqual([
      'Row 3: it must have one of num_satoshis, num_msat and amount',
      'Row 4: amount and currency must be together',
      'Row 5: the amount in a currency must be a number above 0 with a decimal point',
      'Row 6: the amount in a currency must be a number above 0 with a decimal point',
    ]);
  });

  it.each([
    ['lnbc2500u1x', 250_000_000],
    ['LIGHTNING:LNBC5U1X', 500_000],
    ['lntb20m1x', 2_000_000_000],
    ['lnbcrt10n1x', 1000],
    ['lntbs10p1x', 1],
    ['lnbc1x', undefined],
    ['lnbc11x', 100_000_000_000],
  ])('has the amount of the invoice %s', (destination, sumMsat) => {
    const parsed = parseCsv(`destination\n${destination}`);
    expect([parsed.sumMsat, parsed.problems]).toEqual(sumMsat === undefined ? [0, ['Row 2: the amount is missing']] : [sumMsat, []]);
  });

  it('names the rows that cannot be paid', () => {
    const text =
      'destination,num_satoshis,num_msat\n,5,\nbob@example.com,,\nbob@example.com,1.5,\nbob@example.com,1,1\nbob@example.com,-1,';
    expect(parseCsv(text).problems).toEqual([
      'Row 2: the destination is missing',
      'Row 3: the amount is missing',
      'Row 4: the amount must be a whole number, 1 or more',
      'Row 5: it must have one of num_satoshis, num_msat and amount',
      'Row 6: the amount must be a whole number, 1 or more',
    ]);
  });

  it.each([
    ['num_satoshis\n5', 'The first row must have a column “destination”.'],
    ['destination,price\nx,5', 'The column “price” is unknown.'],
    ['destination\n"x', 'A quotation mark has no end.'],
    [`destination\n${'x\n'.repeat(1001)}`, 'At most 1\u202f000 rows are possible.'],
  ])('rejects %j as a whole', (text, problem) => {
    expect(parseCsv(text)).toEqual({ lines: [], sumMsat: 0, feeLimitMsat: 0, ownAmounts: 0, prices: 0, problems: [problem] });
  });
});
