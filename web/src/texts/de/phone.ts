import type { phone as english } from '../en-phone.ts';
import type { Shape } from '../lookup.ts';

export const phone = {
  allPages: 'Alle Seiten',
  choose: {
    titles: { receive: 'Auf welches Wallet empfangen?', send: 'Von welchem Wallet senden?' },
    search: 'Wallet suchen',
  },
  receivers: 'Letzte Empfänger',
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
    emptyTitle: 'Noch keine Kontakte',
    empty: 'Namen für Lightning-Adressen, damit sie nicht erneut getippt oder gescannt werden müssen.',
  },
  share: { share: 'Teilen', png: 'QR-Code als PNG', svg: 'als SVG', failed: 'Der Browser konnte es nicht teilen. Stattdessen kopieren.' },
  scan: {
    camera: 'Kamera',
    start: 'Kamera starten',
    startAgain: 'Kamera erneut versuchen',
    starting: 'Die Kamera startet',
    stop: 'Stopp',
    light: 'Licht',
    hold: 'Den Code in den Rahmen halten',
    paste: 'Einfügen',
    picture: 'Aus einem Bild',
    text: 'Rechnung, Adresse oder Link',
    found: 'Er enthält:',
    unknown:
      'Dieser Code ist keine Rechnung, Lightning-Adresse, LNURL und kein Node-Schlüssel. Damit ist nichts zu zahlen oder zu empfangen.',
    nothingCopied: 'Es ist nichts kopiert. Zuerst eine Rechnung, eine Adresse oder einen Link kopieren.',
    pasteInField: 'Dieser Browser lässt die Seite nicht lesen, was kopiert wurde. Es in das Feld unten einfügen.',
    noCode: 'Im Bild wurde kein QR-Code gefunden. Ein Bild wählen, auf dem der ganze Code scharf und gerade ist.',
    noPicture: 'Die Datei ist kein lesbares Bild. Eine Datei im Format PNG, JPEG oder WebP wählen.',
    problems: {
      insecure: 'Browser erlauben die Kamera nur unter https-Adressen. Einfügen, ein Bild oder das Feld unten verwenden.',
      refused:
        'Der Browser verweigert die Kamera. Sie in den Einstellungen des Browsers für diese Seite erlauben, oder Einfügen oder ein Bild verwenden.',
      missing: 'Dieses Gerät hat keine Kamera. Einfügen, ein Bild oder das Feld unten verwenden.',
      busy: 'Ein anderes Programm verwendet die Kamera. Es schließen und erneut versuchen, oder Einfügen oder ein Bild verwenden.',
      failed: 'Die Kamera ist nicht gestartet. Erneut versuchen, oder Einfügen oder ein Bild verwenden.',
    },
  },
} satisfies Shape<typeof english>;
