import type { desk as english } from '../en-desk.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const desk = {
  oldestFirst: { newer: 'Zurück', older: 'Weiter' },
  withdrawals: {
    stop: 'Auszahlungen anhalten',
    stopTitle: 'Alle Auszahlungen anhalten?',
    stopText:
      'Bis zur Fortsetzung kann niemand senden oder einen Auszahlungslink einlösen. Empfangen, Überweisungen innerhalb des Dienstes und Lesen bleiben möglich.',
    inFlight: (count: number) =>
      count === 1
        ? '1 laufende Zahlung wird normal zu Ende geführt.'
        : `${formatCount(count)} laufende Zahlungen werden normal zu Ende geführt.`,
    stopReason: 'Grund, für Kunden sichtbar',
    stopHint: 'Wird mit dem eigenen Namen im Änderungsprotokoll festgehalten.',
    resume: 'Fortsetzen',
    resumeTitle: 'Auszahlungen fortsetzen?',
    resumeText: 'Danach werden wieder Zahlungen gesendet, und Sammelzahlungen laufen weiter.',
    stopped: 'Auszahlungen sind angehalten.',
    by: (name: string) => `Von ${name},`,
    quote: (reason: string) => `„${reason}“`,
    refused: (count: number) => (count === 1 ? '1 Zahlung wurde abgelehnt.' : `${formatCount(count)} Zahlungen wurden abgelehnt.`),
    receiving: 'Empfangen funktioniert.',
  },
  figures: {
    title: 'Zahlungen über Lightning',
    period: 'Zeitraum der Zahlungen',
    periods: { day: '24 h', month: '30 T', year: '365 T' },
    received: 'Empfangen, sats',
    sent: 'Gesendet, sats',
    payments: 'Zahlungen',
    succeeded: 'Erfolgreich gesendet',
    earned: 'Eingenommene Gebühren, sats',
    change: (percent: string) => `${percent} gegenüber dem vorigen Zeitraum`,
    noneBefore: 'nichts im vorigen Zeitraum',
    ofThem: (received: string, sent: string) => `${received} empfangen, ${sent} gesendet`,
    failed: (count: string) => `${count} fehlgeschlagen`,
    none: 'keine Zahlungen',
    routing: (sats: string) => `Wallets zahlten ${sats} für Routing`,
    computing: 'Die Stunden dieses Zeitraums werden zum ersten Mal berechnet.',
    covers:
      'Alle Wallets, ohne Überweisungen und Zahlungen zwischen ihnen; fehlgeschlagene Zahlungen zählen zum Zeitpunkt ihres Beginns. Seit',
  },
  backups: {
    title: 'Sicherungen',
    newest: 'Neueste',
    size: (megabytes: string) => `${megabytes} MB, nach dem Schreiben geprüft`,
    none: 'Keine Sicherung',
    hint: 'BACKUP_DIR setzen oder satchel backup ausführen.',
  },
  notifications: {
    title: 'Warnungen per E-Mail und Telegram',
    none: 'Warnungen erscheinen nur hier',
    hint: 'SMTP_URL und ALERT_EMAIL_TO oder TELEGRAM_BOT_TOKEN und TELEGRAM_CHAT_ID setzen und den Dienst neu starten.',
    channels: { email: 'E-Mail', telegram: 'Telegram' },
    lastSent: 'Letzte Nachricht',
    unused: 'Noch keine Nachricht gesendet',
    failing: 'Versand scheitert seit',
    test: 'Testnachricht senden',
    sent: 'Die Testnachricht wurde gesendet.',
  },
  payments: {
    title: 'Nicht beendete Zahlungen',
    one: 'Zahlung',
    which: 'Welche Zahlungen',
    statuses: { stuck: 'Hängend', pending: 'Alle ausstehenden' },
    states: { pending: 'Ausstehend', settled: 'Abgeschlossen', failed: 'Fehlgeschlagen' },
    state: 'Status',
    details: 'Einzelheiten',
    customer: 'Zum Kunden',
    wallet: 'Wallet',
    started: 'Begonnen',
    failure: 'Grund des Fehlschlags',
    node: 'Node',
    id: 'ID',
    emptyPending: 'Keine ausstehenden Zahlungen',
    emptyPendingText: 'Alle Zahlungen sind beendet.',
  },
} satisfies Shape<typeof english>;
