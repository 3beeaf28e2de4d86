import type { push as english } from '../en-push.ts';
import type { Shape } from '../lookup.ts';

export const push = {
  title: 'Benachrichtigungen',
  notify: 'Über Zahlungen benachrichtigen',
  hint: 'Dieser Browser zeigt Betrag und Wallet jeder eingehenden Zahlung an, auch wenn Satchel geschlossen ist.',
  denied:
    'Der Browser blockiert Benachrichtigungen dieser Seite. Diese in den Browser-Einstellungen für die Seite erlauben, dann die Seite neu laden.',
  unsupported: 'Dieser Browser zeigt keine Benachrichtigungen von Webseiten an, oder die Adresse beginnt nicht mit https.',
  needsApp:
    'Auf einem iPhone oder iPad Satchel zuerst zum Home-Bildschirm hinzufügen (Teilen, dann „Zum Home-Bildschirm“) und von dort öffnen.',
  dismissed: 'Der Browser durfte keine Benachrichtigungen anzeigen. Nach erneutem Einschalten fragt er noch einmal.',
  failed: 'Der Browser konnte seinen Push-Dienst nicht erreichen. Die Browser-Einstellungen prüfen, dann erneut versuchen.',
  offer: 'Dieser Browser kann über Zahlungen benachrichtigen, auch wenn Satchel geschlossen ist.',
  notNow: 'Nicht jetzt',
  on: 'Dieser Browser benachrichtigt jetzt über Zahlungen. Das lässt sich in den Einstellungen ausschalten.',
  others: 'Andere Browser dieses Kontos',
  remove: (browser) => `In ${browser} ausschalten`,
  turnOff: 'Ausschalten',
} satisfies Shape<typeof english>;
