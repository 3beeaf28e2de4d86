import { formatCount } from './count.ts';
import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The texts of the first steps, which only a new service shows. */
export const steps = inLanguage('steps', {
  title: 'First steps',
  progress: (done: number, all: number) => `${formatCount(done)} of ${formatCount(all)}`,
  progressLabel: (done: number, all: number) => `${formatCount(done)} of ${formatCount(all)} steps done`,
  done: 'Done: ',
  next: 'Next: ',
  recognized: 'Done steps are recognized, also through the API.',
  hide: 'Hide',
  names: lookup({
    node: 'Connect a node',
    wallet: 'Create a wallet',
    receive: 'Receive',
    send: 'Send a payment',
    address: 'Create an address',
    key: 'Create a key',
    webhook: 'Add a webhook',
    backup: 'Back up',
  }),
  texts: {
    playground: lookup({
      wallet: 'For yourself, a device or a customer',
      receive: 'The playground’s payer sends 21 000 sats.',
      send: 'The playground has a shop that gives you an invoice to pay.',
      key: 'For your program, with a budget',
      webhook: 'A receiver on this machine is allowed here.',
      backup: 'Run this command, and restore it to see the quarantine.',
    }),
    node: lookup({
      node: 'The overview shows whether it answers.',
      wallet: 'For yourself, a device or a customer',
      receive: 'A small amount, from any wallet of the same network',
      send: 'At most 100 sats for a first try',
      key: 'With a budget and only the rights it needs',
      webhook: 'Your program learns of every payment.',
      backup: 'Until there is a backup on another machine, a broken disk loses balances. BACKUP_DIR schedules them.',
    }),
  },
  address: (domain: string) => `name@${domain}, payable like an e-mail address`,
  actions: lookup({
    node: 'Overview',
    wallet: 'New wallet',
    receive: 'Receive',
    send: 'Send',
    address: 'Address',
    key: 'New key',
    webhook: 'Webhook',
  }),
  fund: 'Receive 21 000 sats',
  getInvoice: 'Get an invoice',
  copyCommand: 'Copy the command',
  ready: 'Ready for money?',
  readyText: 'This command checks the clock, the disk, the node, its liquidity, the address and the backups.',
});
