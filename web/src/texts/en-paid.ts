/** The English texts of notifications. The build writes those of all languages into the service worker, so this file loads no other one. */
export const paid = {
  received: (amount: string) => `${amount} sats received`,
};
