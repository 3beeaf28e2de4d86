import type { texts as english } from '../en-fiat.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const fiat = {
  rate: (price, age) => `1 BTC = ${price}, vom Betreiber vor ${age} festgelegt`,
  rateFrom: (price, source, age) => `1 BTC = ${price}, laut ${source}, vor ${age}`,
  minutes: (minutes) => (minutes === 0 ? 'weniger als einer Minute' : `${formatCount(minutes)} min`),
  hours: (hours) => `${formatCount(hours)} h`,
  days: (days) => `${formatCount(days)} Tagen`,
  old: (age) => `Kurs von vor ${age}`,
  oldShort: (age) => `vor ${age}`,
  unit: (currency) => `sats und ${currency}`,
  currency: 'Währung',
  noCurrency: 'Keine',
  currencyHint: 'Im Konto gespeichert. Beim Senden, Empfangen und Überweisen können Beträge in dieser Währung eingegeben werden.',
  entry: (label, currency) => `${label} in ${currency}`,
  entryHint: 'Der Dienst rechnet zu seinem Kurs um.',
  about: (sats) => `Etwa ${sats} sats zum aktuellen Kurs.`,
  entryError: (currency) => `Eine Zahl über 0, mit höchstens so vielen Dezimalstellen wie ${currency}.`,
  removed: 'Der Betreiber hat den Wechselkurs entfernt. Beträge werden in Sats angezeigt.',
  card: {
    title: 'Wechselkurs',
    hint: 'Wer in den Einstellungen eine Währung wählt, sieht den Wert von Beträgen zu diesem Kurs. Der Kurs dient nur der Anzeige: Beträge, Limits und Gebühren hängen nie von ihm ab.',
    none: 'Es ist kein Kurs festgelegt.',
    old: (age) => `Der Kurs wurde vor ${age} festgelegt und ist überall als veraltet gekennzeichnet. Neu festlegen oder entfernen.`,
    currency: 'Währung',
    price: 'Preis von 1 BTC',
    priceHint: 'Zum Beispiel 61234,50.',
    priceError: 'Eine Zahl über 0, zum Beispiel 61234,50.',
    set: 'Kurs festlegen',
    remove: 'Kurs entfernen',
  },
} satisfies Shape<typeof english>;
