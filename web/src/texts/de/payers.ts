import type { payers as english } from '../en-payers.ts';
import type { Shape } from '../lookup.ts';

export const payers = {
  page: 'Seite',
  openPage: 'Seite für Zahlende öffnen',
  button: 'Knopf für andere Websites',
  buttonText: 'Mit Lightning bezahlen',
  buttonHint: 'Ein Link zur Seite für Zahlende. Auf Websites, die der Betreiber angibt, öffnet er einen Dialog.',
  copyCode: 'Code kopieren',
} satisfies Shape<typeof english>;
