import type { channels as english } from '../en-channels.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const channels = {
  title: 'Kanäle',
  peer: 'Peer',
  send: 'Kann senden',
  receive: 'Kann empfangen',
  sendSats: 'Kann senden, sats',
  receiveSats: 'Kann empfangen, sats',
  capacity: 'Kapazität, sats',
  capacityOf: (sats) => `${sats} sats`,
  status: 'Status',
  statuses: { active: 'Aktiv', inactive: 'Peer offline', opening: 'Wird geöffnet', closing: 'Wird geschlossen' },
  private: 'privat',
  unknown: 'unbekannt',
  bar: (send, receive) => `Kann ${send} sats senden und ${receive} sats empfangen`,
  counts: (counts) =>
    [
      `${formatCount(counts.active)} aktiv`,
      counts.inactive > 0 && `${formatCount(counts.inactive)} mit Peer offline`,
      counts.opening > 0 && `${formatCount(counts.opening)} beim Öffnen`,
      counts.closing > 0 && `${formatCount(counts.closing)} beim Schließen`,
    ]
      .filter(Boolean)
      .join(', '),
  estimate:
    'Schätzwerte nach Abzug von Kanalreserven und Gebühren. Eine einzelne Zahlung findet möglicherweise nur für einen kleineren Betrag eine Route. Kanäle werden mit den Werkzeugen der Node geöffnet und geschlossen.',
  more: (count) => `${formatCount(count)} weitere anzeigen`,
  pubkey: 'Öffentlicher Schlüssel',
  id: 'Kanal',
  network: 'Netzwerk',
  announced: 'Im Netzwerk bekannt gegeben',
  hidden: 'Privat, nicht im Netzwerk bekannt gegeben',
  showChannels: 'Kanäle anzeigen',
  away: 'Alle Peers sind offline. Bis einer wieder online ist, kann die Node weder senden noch empfangen.',
  cannotSend: 'Die aktiven Kanäle können nichts senden. Zahlungen aus den Wallets dieser Node nach außen finden deshalb keine Route.',
  cannotReceive:
    'Die aktiven Kanäle können nichts empfangen. Rechnungen der Wallets dieser Node können deshalb nicht von außen bezahlt werden.',
  emptyTitle: 'Keine Kanäle',
  empty:
    'Ohne Kanal kann die Node weder senden noch empfangen. Einen Kanal zu einem gut verbundenen Peer mit den Werkzeugen der Node öffnen:',
  emptyCommands: [
    ['LND', 'lncli openchannel'],
    ['Core Lightning', 'lightning-cli fundchannel'],
  ],
  notPermittedTitle: 'Nicht erlaubt',
  notPermitted:
    'Die Zugangsdaten in LIGHTNING_URL erlauben es nicht, die Kanäle aufzulisten. satchel node check zeigt den Befehl, mit dem sich passende Zugangsdaten erstellen lassen.',
  unsupportedTitle: 'Nicht verfügbar',
  unsupported: 'Der Dienst kann die Kanäle dieser Node nicht auflisten.',
} satisfies Shape<typeof english>;
