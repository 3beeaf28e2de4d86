import type { payers as english } from '../en-payers.ts';
import type { Shape } from '../lookup.ts';

export const payers = {
  page: 'Seite',
  openPage: 'Zahlungsseite öffnen',
  button: 'Schaltfläche für andere Websites',
  buttonText: 'Mit Lightning bezahlen',
  buttonHint: 'Ein Link zur Zahlungsseite. Auf Websites, die der Betreiber freigegeben hat, öffnet er einen Dialog.',
  copyCode: 'Code kopieren',
  statuses: { all: 'Alle', active: 'Aktiv', inactive: 'Inaktiv' },
  payments: 'Zahlungen',
  paymentsOf: (count) => `${count} ${count === '1' ? 'Zahlung' : 'Zahlungen'}`,
  lastUse: 'Zuletzt benutzt',
  never: 'nie',
  received: 'Empfangen',
  receivedSats: 'Empfangen, sats',
  anyAmount: 'beliebig',
  noneYet: 'noch nichts',
  receivedBy: (links) => `Empfangen über ${links === '1' ? 'den Link' : `alle ${links} Links`} dieser Liste:`,
  paidOutBy: (links) => `Ausgezahlt über ${links === '1' ? 'den Link' : `alle ${links} Links`} dieser Liste:`,
  noneTitle: 'Kein Link passt zum Filter',
  none: 'Einen anderen Status oder alle Wallets wählen.',
} satisfies Shape<typeof english>;
