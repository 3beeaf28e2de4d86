import type { payers as english } from '../en-payers.ts';
import type { Shape } from '../lookup.ts';

export const payers = {
  page: 'Seite',
  openPage: 'Zahlungsseite öffnen',
  button: 'Schaltfläche für andere Websites',
  buttonText: 'Mit Lightning bezahlen',
  buttonHint: 'Ein Link zur Zahlungsseite. Auf Websites, die der Betreiber freigegeben hat, öffnet er einen Dialog.',
  copyCode: 'Code kopieren',
} satisfies Shape<typeof english>;
