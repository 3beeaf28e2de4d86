import type { push as english } from '../en-push.ts';
import type { Shape } from '../lookup.ts';

export const push = {
  title: 'Benachrichtigungen',
  notify: 'Über Zahlungen benachrichtigen',
  hint: 'Dieser Browser zeigt Betrag und Wallet jeder eingegangenen Zahlung an, auch wenn Satchel geschlossen ist.',
  denied:
    'Der Browser blockiert Benachrichtigungen dieser Seite. In seinen Einstellungen für diese Seite erlauben, dann die Seite neu laden.',
  unsupported: 'Dieser Browser zeigt keine Benachrichtigungen von Webseiten an, oder die Adresse beginnt nicht mit https.',
  needsApp:
    'Auf einem iPhone oder iPad Satchel zuerst zum Home-Bildschirm hinzufügen (Teilen, dann „Zum Home-Bildschirm“) und von dort öffnen.',
  dismissed: 'Der Browser durfte keine Benachrichtigungen anzeigen. Nach erneutem Einschalten fragt er noch einmal.',
  failed: 'Der Browser konnte seinen Push-Dienst nicht erreichen. Seine Einstellungen prüfen, dann erneut versuchen.',
  offer: 'Dieser Browser kann die nächsten Zahlungen melden, auch wenn Satchel geschlossen ist.',
  notNow: 'Nicht jetzt',
  on: 'Dieser Browser meldet jetzt Zahlungen. In den Einstellungen lässt sich das ausschalten.',
  others: 'Andere Browser dieses Kontos',
  remove: (browser) => `In ${browser} ausschalten`,
  turnOff: 'Ausschalten',
} satisfies Shape<typeof english>;
