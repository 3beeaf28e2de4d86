/** The English texts of notifications. The build writes the texts of all languages into the service worker, so this file imports no other file. */
export const paid = {
  received: (amount: string) => `${amount} sats received`,
};
