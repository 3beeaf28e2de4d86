import { inLanguage } from './texts.ts';

/** The English texts of what phones use most: More, Scan, the choice of a wallet. Their screens load them, not the start. */
export const phone = inLanguage('phone', {
  allPages: 'All pages',
  choose: {
    titles: { receive: 'Receive to which wallet?', send: 'Send from which wallet?' },
    search: 'Find a wallet',
  },
  receivers: 'Recent receivers',
  share: { share: 'Share', png: 'QR code as PNG', svg: 'as SVG', failed: 'The browser could not share it. Copy it instead.' },
  scan: {
    camera: 'Camera',
    start: 'Start the camera',
    startAgain: 'Try the camera again',
    starting: 'Starting the camera',
    stop: 'Stop',
    light: 'Light',
    hold: 'Hold the code inside the frame',
    paste: 'Paste',
    picture: 'From a picture',
    text: 'Invoice, address or link',
    found: 'It contains:',
    unknown: 'This code is not an invoice, Lightning address, LNURL or node key, so there is nothing to pay or to receive.',
    nothingCopied: 'Nothing is copied. Copy an invoice, an address or a link first.',
    pasteInField: 'This browser does not let the page read what you copied. Paste it into the field below.',
    noCode: 'No QR code was found in the picture. Choose one in which the whole code is sharp and straight.',
    noPicture: 'The file cannot be read as a picture. Choose a PNG, JPEG or WebP file.',
    problems: {
      insecure: 'Browsers allow the camera only at https addresses. Use Paste, a picture or the field below.',
      refused: 'The browser refuses the camera. Allow it for this page in the settings of the browser, or use Paste or a picture.',
      missing: 'This device has no camera. Use Paste, a picture or the field below.',
      busy: 'The camera is in use by another program. Close it and try again, or use Paste or a picture.',
      failed: 'The camera did not start. Try again, or use Paste or a picture.',
    },
  },
});
