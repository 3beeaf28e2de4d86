import { t } from '../texts/texts.ts';

/** The text of a pay link that was created without one, also of the link of each wallet. The service has it in `pay-links.sql.ts`. */
const DEFAULT_OF_SERVICE = 'Lightning payment';

/** Returns a text for the payers of a link; without one, the default in the language of the dashboard. */
export function enteredLinkText(text: string): string {
  return text.trim() || t.links.defaultText;
}

/** Returns the text of a link, or of a payment to it, as a name in a list. The default is in the language of the dashboard. */
export function linkName(text: string): string {
  return text === DEFAULT_OF_SERVICE ? t.links.defaultText : text;
}
