import { inLanguage } from './texts.ts';

/** The English texts about notifications. They load with the cards that turn notifications on. */
export const push = inLanguage('push', {
  title: 'Notifications',
  notify: 'Notify me about payments',
  hint: 'This browser shows the amount and the wallet of each payment you receive, even while Satchel is closed.',
  denied: 'The browser blocks notifications from this page. Allow them in the browser’s settings, then reload the page.',
  unsupported: 'This browser does not support notifications, or the page was not loaded over https.',
  needsApp: 'On an iPhone or iPad, first add Satchel to the home screen (Share, then “Add to Home Screen”), and open it from there.',
  dismissed: 'Permission was not granted. Turn notifications on again, and the browser will ask again.',
  failed: 'The browser could not reach its push service. Check its settings, then try again.',
  offer: 'This browser can notify you about payments, even while Satchel is closed.',
  notNow: 'Not now',
  on: 'This browser now notifies you about payments. You can turn this off in the settings.',
  others: 'Other browsers of this account',
  remove: (browser: string) => `Turn off in ${browser}`,
  turnOff: 'Turn off',
});
