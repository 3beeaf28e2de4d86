import type { phone as english } from '../en-phone.ts';
import type { Shape } from '../lookup.ts';

export const phone = {
  allPages: 'Alle Seiten',
  choose: {
    open: 'Welches Wallet öffnen?',
    titles: { receive: 'Auf welches Wallet empfangen?', send: 'Von welchem Wallet senden?' },
    search: 'Wallet suchen',
  },
  receivers: 'Letzte Empfänger',
  voucher: 'Sats mit einem Gutschein verschenken',
  contacts: {
    title: 'Kontakte',
    all: 'Alle Kontakte',
    add: 'Neuer Kontakt',
    change: (name) => `${name} ändern`,
    remove: (name) => `${name} löschen`,
    removed: (name) => `${name} ist gelöscht.`,
    undo: 'Rückgängig',
    name: 'Name',
    address: 'Lightning-Adresse',
    save: 'Kontakt speichern',
    isStored: (name: string) => `${name} ist ein Kontakt`,
    emptyTitle: 'Noch keine Kontakte',
    empty: 'Namen für Lightning-Adressen, damit sie nicht erneut getippt oder gescannt werden müssen.',
  },
  share: { share: 'Teilen', png: 'QR-Code als PNG', svg: 'als SVG', failed: 'Das Teilen ist fehlgeschlagen. Stattdessen kopieren.' },
  scan: {
    camera: 'Kamera',
    start: 'Kamera starten',
    startAgain: 'Kamera erneut starten',
    starting: 'Kamera wird gestartet',
    stop: 'Stopp',
    light: 'Licht',
    hold: 'Den Code in den Rahmen halten',
    paste: 'Einfügen',
    picture: 'Aus einem Bild',
    text: 'Rechnung, Adresse oder Link',
    found: 'Inhalt:',
    unknown:
      'Dieser Code ist weder eine Rechnung noch eine Lightning-Adresse, eine LNURL oder ein Node-Schlüssel. Damit lässt sich nichts zahlen oder empfangen.',
    nothingCopied: 'Die Zwischenablage ist leer. Zuerst eine Rechnung, eine Adresse oder einen Link kopieren.',
    pasteInField: 'Dieser Browser erlaubt der Seite keinen Zugriff auf die Zwischenablage. Den Inhalt in das Feld unten einfügen.',
    noCode: 'Im Bild wurde kein QR-Code gefunden. Ein Bild wählen, auf dem der ganze Code scharf und gerade ist.',
    noPicture: 'Die Datei ist kein lesbares Bild. Eine Datei im Format PNG, JPEG oder WebP wählen.',
    problems: {
      insecure: 'Browser erlauben die Kamera nur unter https-Adressen. „Einfügen“, ein Bild oder das Feld unten verwenden.',
      refused:
        'Der Browser verweigert den Zugriff auf die Kamera. Den Zugriff in den Einstellungen des Browsers für diese Seite erlauben oder „Einfügen“ oder ein Bild verwenden.',
      missing: 'Dieses Gerät hat keine Kamera. „Einfügen“, ein Bild oder das Feld unten verwenden.',
      busy: 'Ein anderes Programm verwendet die Kamera. Dieses schließen und erneut versuchen oder „Einfügen“ oder ein Bild verwenden.',
      failed: 'Die Kamera konnte nicht gestartet werden. Erneut versuchen oder „Einfügen“ oder ein Bild verwenden.',
    },
  },
} satisfies Shape<typeof english>;
