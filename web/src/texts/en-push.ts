import { inLanguage } from './texts.ts';

/** The English texts about notifications. The cards that turn them on load them. */
export const push = inLanguage('push', {
  title: 'Notifications',
  notify: 'Notify me about payments',
  hint: 'This browser shows the amount and the wallet of each payment you receive, also while Satchel is closed.',
  denied: 'The browser blocks notifications of this page. Allow them in the settings of the browser for this page, then load it again.',
  unsupported: 'This browser shows no notifications of web pages, or the address does not begin with https.',
  needsApp: 'On an iPhone or iPad, first add Satchel to the home screen (Share, then “Add to Home Screen”), and open it from there.',
  dismissed: 'The browser was not allowed to show notifications. Turn them on again to be asked once more.',
  failed: 'The browser could not reach its push service. Check its settings, then try again.',
  offer: 'This browser can notify you of the next payments, also while Satchel is closed.',
  notNow: 'Not now',
  on: 'This browser now notifies you about payments. The settings turn it off.',
  others: 'Other browsers of this account',
  remove: (browser: string) => `Turn off in ${browser}`,
  turnOff: 'Turn off',
});
