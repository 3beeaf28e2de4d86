import type { shortcuts as english } from '../en-shortcuts.ts';
import type { Shape } from '../lookup.ts';

export const shortcuts = {
  title: 'Tastenkürzel',
  keys: [
    ['Strg K', 'Seiten, Wallets und Aktionen suchen'],
    ['/', 'Auf dieser Seite suchen oder filtern'],
    ['G, dann W L C K H E S', 'Wallets, Links, verbundene Apps, Schlüssel, Webhooks, Ereignisse, Einstellungen'],
    ['R S T', 'In einem Wallet: empfangen, senden, überweisen'],
    ['J K', 'Nächste und vorige Zeile'],
    ['Enter', 'Zeile öffnen'],
    ['Esc', 'Schließen'],
    ['?', 'Diese Liste'],
  ],
  operatorKeys: ['G, dann O', 'Übersicht des Betreibers'],
  paste: 'Um in einem Wallet „Senden“ zu öffnen, eine Rechnung, eine Adresse oder einen Link außerhalb eines Feldes einfügen.',
} satisfies Shape<typeof english>;
