import type { desk as english } from '../en-desk.ts';
import type { Shape } from '../lookup.ts';

export const desk = {
  oldestFirst: { newer: 'Zurück', older: 'Weiter' },
  withdrawals: {
    stop: 'Auszahlungen anhalten',
    stopTitle: 'Alle Auszahlungen anhalten?',
    stopText:
      'Niemand kann senden oder einen Auszahlungslink einlösen, bis Sie sie fortsetzen. Empfangen, Umbuchungen im Dienst und Lesen gehen weiter.',
    inFlight: (count: number) => (count === 1 ? '1 laufende Zahlung endet normal.' : `${count} laufende Zahlungen enden normal.`),
    stopReason: 'Grund, den Kunden sehen',
    stopHint: 'Steht mit Ihrem Namen im Protokoll.',
    resume: 'Fortsetzen',
    resumeTitle: 'Auszahlungen fortsetzen?',
    resumeText: 'Zahlungen verlassen den Dienst wieder, und Sammelzahlungen gehen weiter.',
    stopped: 'Auszahlungen sind angehalten.',
    by: (name: string) => `Von ${name},`,
    quote: (reason: string) => `„${reason}“`,
    refused: (count: number) => (count === 1 ? '1 Zahlung wurde abgelehnt.' : `${count} Zahlungen wurden abgelehnt.`),
    receiving: 'Empfangen funktioniert.',
  },
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
