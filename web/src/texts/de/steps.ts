import type { steps as english } from '../en-steps.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const steps = {
  title: 'Erste Schritte',
  progress: (done, all) => `${formatCount(done)} von ${formatCount(all)}`,
  progressLabel: (done, all) => `${formatCount(done)} von ${formatCount(all)} Schritten erledigt`,
  done: 'Erledigt: ',
  next: 'Als Nächstes: ',
  recognized: 'Erledigte Schritte werden erkannt, auch über die API.',
  hide: 'Ausblenden',
  names: {
    node: 'Node verbinden',
    wallet: 'Wallet erstellen',
    receive: 'Empfangen',
    send: 'Zahlung senden',
    address: 'Adresse erstellen',
    key: 'Schlüssel erstellen',
    webhook: 'Webhook hinzufügen',
    backup: 'Sichern',
  },
  texts: {
    playground: {
      wallet: 'Für sich selbst, ein Gerät oder einen Kunden',
      receive: 'Die Testumgebung sendet 21 000 sats.',
      send: 'Die Testumgebung hat einen Shop, der eine Rechnung zum Bezahlen ausstellt.',
      key: 'Für ein Programm, mit Budget',
      webhook: 'Ein Empfänger auf diesem Rechner ist hier erlaubt.',
      backup: 'Diesen Befehl ausführen; beim Wiederherstellen der Sicherung zeigt sich die Quarantäne.',
    },
    node: {
      node: 'Die Übersicht zeigt, ob sie antwortet.',
      wallet: 'Für sich selbst, ein Gerät oder einen Kunden',
      receive: 'Ein kleiner Betrag, von einem Wallet im selben Netzwerk',
      send: 'Höchstens 100 sats beim ersten Versuch',
      key: 'Mit Budget und nur den nötigen Rechten',
      webhook: 'Ein Programm erfährt von jeder Zahlung.',
      backup:
        'Ohne Sicherung auf einem anderen Rechner gehen bei einem Festplattenausfall Guthaben verloren. BACKUP_DIR sorgt für regelmäßige Sicherungen.',
    },
  },
  address: (domain) => `name@${domain}, zahlbar wie eine E-Mail-Adresse`,
  actions: {
    node: 'Übersicht',
    wallet: 'Neues Wallet',
    receive: 'Empfangen',
    send: 'Senden',
    address: 'Adresse',
    key: 'Neuer Schlüssel',
    webhook: 'Webhook',
  },
  fund: '21 000 sats empfangen',
  getInvoice: 'Rechnung abrufen',
  copyCommand: 'Befehl kopieren',
  ready: 'Bereit für Geld?',
  readyText: 'Dieser Befehl prüft Uhr, Festplatte, Node, Liquidität, Adresse und Sicherungen.',
} satisfies Shape<typeof english>;
