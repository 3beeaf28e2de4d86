import type { desk as english } from '../en-desk.ts';
import type { Shape } from '../lookup.ts';

export const desk = {
  oldestFirst: { newer: 'Zurück', older: 'Weiter' },
  payments: {
    title: 'Noch nicht beendete Zahlungen',
    one: 'Zahlung',
    which: 'Welche Zahlungen',
    statuses: { stuck: 'Festhängend', pending: 'Alle ausstehenden' },
    states: { pending: 'Ausstehend', settled: 'Abgeschlossen', failed: 'Fehlgeschlagen' },
    state: 'Zustand',
    details: 'Einzelheiten',
    customer: 'Kunden anzeigen',
    wallet: 'Wallet',
    started: 'Begonnen',
    failure: 'Warum sie fehlschlug',
    node: 'Node',
    id: 'ID',
    emptyPending: 'Keine ausstehenden Zahlungen',
    emptyPendingText: 'Alle Zahlungen sind beendet.',
  },
} satisfies Shape<typeof english>;
