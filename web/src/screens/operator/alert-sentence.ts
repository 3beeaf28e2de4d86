import { createSentences } from '../../../../src/core/alerts/alert-sentences.ts';
import { formatSats } from '../../parts/format-amount.ts';
import { alertTexts } from '../../texts/en-alerts.ts';

/** Returns the sentence about an alert in the language of this browser. */
export const sentenceOf = createSentences(alertTexts, formatSats);
