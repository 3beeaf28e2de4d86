/** The English texts of what phones use most: More, Scan, the choice of a wallet. Their screens load them, not the start. */
export const phone = {
  allPages: 'All pages',
  choose: {
    titles: { receive: 'Receive to which wallet?', send: 'Send from which wallet?' },
    search: 'Find a wallet',
  },
};
