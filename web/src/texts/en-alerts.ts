import { ALERT_TEXTS } from '../../../src/core/alerts/alert-texts.ts';
import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts of alerts, by their kinds. The pages of the operator load them, not the start. */
export const alertTexts = inLanguage('alerts', {
  close: 'Close',
  closeTitle: 'Close the alert?',
  closeText: 'If its cause is still there, the service raises it again.',
  closeAction: 'Close alert',
  more: 'More',
  less: 'Less',
  since: 'Since',
  list: 'Alerts',
  ...ALERT_TEXTS,
  sentences: lookup(ALERT_TEXTS.sentences),
});
