import type { developers as english } from '../en-developers.ts';
import type { Shape } from '../lookup.ts';

export const developers = {
  title: 'Entwickler',
  api: 'API',
  apiText:
    'Programme verwenden die API mit einem Schlüssel im Header X-Api-Key. Jedes Programm sollte einen eigenen Schlüssel haben, nur mit den nötigen Rechten und dem nötigen Budget.',
  copyAddress: 'Adresse der API kopieren',
  reference: 'Referenz',
  openapi: 'OpenAPI 3.1',
  health: 'Betriebszustand',
  requests: 'Anfragen zum Kopieren',
  language: 'Sprache',
  wallet: 'Wallet',
  client:
    'Der Client ist Teil von Satchel: npm pack ./client erstellt ein Paket. Es hat Typen für jede Operation und keine Abhängigkeiten.',
  copySnippet: (title) => `Kopieren: ${title}`,
  snippets: {
    first: {
      title: 'Zuerst',
      text: 'Einen geheimen API-Schlüssel oder den Admin-Schlüssel des Wallets an der Stelle von sak_… einsetzen.',
    },
    balance: { title: 'Guthaben lesen', text: 'balance ist das verfügbare Guthaben des Wallets in Sats.' },
    invoice: { title: 'Rechnung erstellen', text: 'Ohne num_satoshis wählt der Zahlende den Betrag.' },
    wait: {
      title: 'Auf die Zahlung warten',
      text: 'Die ID ist die der Rechnung. Die Antwort kommt, sobald status nicht mehr open ist, spätestens nach 60 Sekunden.',
    },
    pay: {
      title: 'Rechnung bezahlen',
      text: 'Nach einem Verbindungsabbruch oder einem 5xx die Anfrage mit demselben Idempotency-Key wiederholen: Der Dienst zahlt nur einmal. Jede Zahlung braucht einen eigenen Idempotency-Key. Nur ein 4xx auf die erste Anfrage bedeutet, dass nichts bezahlt wurde; nach einem 4xx auf eine Wiederholung kann das Ergebnis unbekannt sein.',
    },
    events: { title: 'Ereignisse live empfangen', text: 'Ein Datenstrom mit allem, was im Wallet geschieht.' },
    webhook: {
      title: 'Webhooks empfangen',
      text: 'Erfordert einen geheimen API-Schlüssel. Das Signaturgeheimnis whsec_… steht in der Antwort auf das Erstellen des Webhooks.',
    },
  },
  webhooks: 'Signaturen von Webhooks',
  webhooksText:
    'Jede Zustellung ist nach Standard Webhooks signiert. Den unveränderten Body prüfen, bevor er verarbeitet wird, in konstanter Zeit vergleichen und Zeitstempel ablehnen, die älter als fünf Minuten sind. Ein Ereignis kann zweimal kommen, deshalb seine ID speichern.',
  headers: [
    ['webhook-id', 'Die ID des Ereignisses'],
    ['webhook-timestamp', 'Die Zeit des Versuchs, in Unix-Sekunden'],
    [
      'webhook-signature',
      'v1 und der HMAC-SHA256 über id.timestamp.body in Base64. Der Schlüssel steht in Base64 nach whsec_. Während einer Erneuerung sind es mehrere Signaturen.',
    ],
  ],
  lnurl: 'LNURL und Lightning-Adressen',
  lnurlPaths: [
    ['GET /.well-known/lnurlp/<name>', 'Wird von anderen Wallets gelesen, bevor sie an die Adresse zahlen'],
    ['POST /v1/wallet/<id>/lnurlp', 'Erstellt einen Zahlungslink, mit lnurlp_identifier eine Lightning-Adresse'],
    ['POST /v1/wallet/<id>/lnurlp/pay', 'Zahlt an eine LNURL oder eine Lightning-Adresse'],
    ['POST /v1/wallet/<id>/lnurl/withdraw', 'Erstellt einen Auszahlungslink: Das erste Wallet, das ihn scannt, erhält die Sats'],
    ['POST /v1/lnurl-auth', 'Meldet Benutzer einer eigenen Anwendung mit einem Lightning-Wallet an'],
  ],
} satisfies Shape<typeof english>;
