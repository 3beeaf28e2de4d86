import type { ErrorTexts } from '../translation.ts';

export const errors: ErrorTexts = {
  account_restricted: 'Der Status des Kontos lässt diese Anfrage nicht zu. Den Betreiber des Dienstes fragen.',
  address_taken: 'Der Name der Lightning-Adresse ist vergeben oder reserviert. Einen anderen wählen.',
  database_unavailable:
    'Die Datenbank ist gerade nicht verfügbar. Diese Anfrage hat nichts gebucht, eine frühere mit demselben Idempotency-Key vielleicht schon. In Kürze erneut versuchen.',
  email_taken: 'Die E-Mail-Adresse gehört zu einem anderen Konto.',
  forbidden: 'Für diese Anfrage fehlt die Berechtigung.',
  insufficient_balance: 'Das verfügbare Guthaben reicht für Betrag und Gebühren nicht aus.',
  invoice_cancelled: 'Die Rechnung wurde vom empfangenden Wallet storniert.',
  invoice_expired: 'Die Rechnung ist abgelaufen. Den Empfänger um eine neue bitten.',
  invoice_paid: 'Die Rechnung ist schon bezahlt, oder eine andere Zahlung dafür steht noch aus.',
  ledger_busy: 'Zu viele Anfragen warten auf das Hauptbuch. Diese Anfrage hat nichts gebucht. In Kürze erneut versuchen.',
  login_taken: 'Der Passkey oder das Lightning-Wallet dient bereits zur Anmeldung bei einem Konto.',
  node_unavailable: 'Die Lightning-Node ist nicht erreichbar. Diese Anfrage hat nichts gesendet. Später erneut versuchen.',
  not_found: 'Das Gesuchte gibt es nicht, oder es gehört zu einem anderen Konto.',
  own_invoice: 'Ein Wallet kann seine eigene Rechnung nicht bezahlen.',
  payee_restricted: 'Das empfangende Konto nimmt gerade kein Geld an. Diese Anfrage hat nichts bezahlt.',
  rate_limited:
    'Zu viele Anfragen. Diese wurde nicht ausgeführt; eine frühere mit demselben Idempotency-Key vielleicht schon. In Kürze erneut versuchen.',
  rate_unavailable:
    'Für die Währung gibt es keinen gültigen Kurs. Es wurde nichts erstellt und nichts bezahlt. Später erneut versuchen oder den Betrag in Sats angeben.',
  restored:
    'Der Dienst wurde aus einer Sicherung wiederhergestellt und sendet kein Geld, bis der Betreiber die Wiederherstellung bestätigt. Diese Anfrage hat nichts gesendet.',
  same_wallet: 'Ein Wallet kann nicht an sich selbst überweisen.',
  too_many_invoices:
    'Das Wallet hat die Höchstzahl offener Rechnungen. Es wurde keine Rechnung erstellt. Einige stornieren oder auf ihren Ablauf warten.',
  too_many_keys: 'Das Konto oder Wallet hat die Höchstzahl aktiver Schlüssel. Zuerst einen widerrufen.',
  too_many_logins: 'Das Konto hat die Höchstzahl von Passkeys oder verknüpften Wallets. Zuerst einen Eintrag entfernen.',
  too_many_payments: 'Das Wallet hat die Höchstzahl laufender Zahlungen. Diese Anfrage hat nichts gesendet. Warten, bis eine beendet ist.',
  too_many_wallets: 'Das Konto hat die Höchstzahl von Wallets. Den Betreiber um ein höheres Limit bitten.',
  too_many_webhooks: 'Das Konto hat 20 Webhooks, mehr sind nicht möglich. Zuerst einen löschen.',
  unauthorized: 'Nicht angemeldet, oder die Anmeldedaten sind falsch.',
  wallet_inactive: 'Das Wallet ist inaktiv, oder der Status seines Kontos lässt kein Senden zu.',
};
