import { inLanguage } from './texts.ts';

const days = (count: number) => {
  if (count < 1) return 'less than a day';
  if (count === 1) return '1 day';
  return count > 365 ? 'more than a year' : `${count} days`;
};

/** The English texts of the cards about the state of the service. The operator's overview loads them. */
export const service = inLanguage('service', {
  liquidity: {
    title: 'Liquidity of all nodes',
    counted: (counted: number, nodes: number) => `Sums of ${counted} of ${nodes} nodes: the others do not list their channels now.`,
    none: 'No node lists its channels now.',
    receiving: 'Receiving lasts',
    sending: 'Sending lasts',
    days,
    received: (sats: string) => `${sats} sats came in per day, the average of the last seven days`,
    sent: (sats: string) => `${sats} sats went out per day with routing fees, the average of the last seven days`,
    unknown: 'unknown',
    tooLittle: 'shown with seven days of payments',
    noneIn: 'nothing came in during the last seven days',
    noneOut: 'nothing went out during the last seven days',
    covers: 'Payments in the other direction make room again and are not counted.',
    was: 'What it could send and receive at its last answer,',
  },
});
