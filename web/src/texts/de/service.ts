import type { service as english } from '../en-service.ts';
import type { Shape } from '../lookup.ts';

const days = (count: number) => {
  if (count < 1) return 'weniger als einen Tag';
  if (count === 1) return '1 Tag';
  return count > 365 ? 'mehr als ein Jahr' : `${count} Tage`;
};

export const service = {
  liquidity: {
    title: 'Liquidität aller Nodes',
    counted: (counted, nodes) => `Summen von ${counted} von ${nodes} Nodes: Die anderen nennen ihre Kanäle derzeit nicht.`,
    none: 'Kein Node nennt derzeit seine Kanäle.',
    receiving: 'Empfangen reicht',
    sending: 'Senden reicht',
    days,
    received: (sats) => `${sats} sats gingen pro Tag ein, im Durchschnitt der letzten sieben Tage`,
    sent: (sats) => `${sats} sats gingen pro Tag mit Routing-Gebühren aus, im Durchschnitt der letzten sieben Tage`,
    unknown: 'unbekannt',
    tooLittle: 'wird angezeigt, sobald es Zahlungen aus sieben Tagen gibt',
    noneIn: 'in den letzten sieben Tagen ging nichts ein',
    noneOut: 'in den letzten sieben Tagen ging nichts aus',
    covers: 'Zahlungen in der Gegenrichtung schaffen wieder Platz und sind nicht eingerechnet.',
    was: 'Was er bei seiner letzten Antwort senden und empfangen konnte,',
  },
} satisfies Shape<typeof english>;
