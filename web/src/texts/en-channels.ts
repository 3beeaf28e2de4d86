import { formatCount } from './count.ts';
import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts of the page with the channels of the nodes. They are loaded with it, not at the start. */
export const channels = inLanguage('channels', {
  title: 'Channels',
  peer: 'Peer',
  send: 'Can send',
  receive: 'Can receive',
  sendSats: 'Can send, sats',
  receiveSats: 'Can receive, sats',
  capacity: 'Capacity, sats',
  capacityOf: (sats: string) => `${sats} sats`,
  status: 'Status',
  statuses: lookup({ active: 'Active', inactive: 'Peer offline', opening: 'Opening', closing: 'Closing' }),
  private: 'private',
  unknown: 'unknown',
  bar: (send: string, receive: string) => `Can send ${send} sats and receive ${receive} sats`,
  counts: (counts: Readonly<Record<'active' | 'inactive' | 'opening' | 'closing', number>>) =>
    [
      `${formatCount(counts.active)} active`,
      counts.inactive > 0 && `${formatCount(counts.inactive)} with an offline peer`,
      counts.opening > 0 && `${formatCount(counts.opening)} opening`,
      counts.closing > 0 && `${formatCount(counts.closing)} closing`,
    ]
      .filter(Boolean)
      .join(', '),
  estimate:
    'Estimates, after channel reserves and fees. A single payment may find a route only for a smaller amount. Open and close channels with the tools of the node.',
  more: (count: number) => `Show ${formatCount(count)} more`,
  pubkey: 'Public key',
  id: 'Channel',
  network: 'Network',
  announced: 'Announced to the network',
  hidden: 'Private, not announced to the network',
  showChannels: 'Show channels',
  away: 'All peers are offline. Until one of them is online again, the node can neither send nor receive.',
  cannotSend: 'The active channels cannot send anything, so payments from the wallets of this node to the outside find no route.',
  cannotReceive: 'The active channels cannot receive anything, so the invoices of the wallets of this node cannot be paid from outside.',
  emptyTitle: 'No channels',
  empty: 'Without a channel, the node can neither send nor receive. Open one to a well-connected peer with the tools of the node:',
  emptyCommands: [
    ['LND', 'lncli openchannel'],
    ['Core Lightning', 'lightning-cli fundchannel'],
  ] as readonly (readonly [software: string, command: string])[],
  notPermittedTitle: 'Not permitted',
  notPermitted:
    'The credential in LIGHTNING_URL does not permit listing the channels. satchel node check prints the command that creates one.',
  unsupportedTitle: 'Not available',
  unsupported: 'The service cannot list the channels of this node.',
});
