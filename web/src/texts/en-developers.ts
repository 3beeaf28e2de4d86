import { inLanguage } from './texts.ts';

/** The English texts of the page for developers. They are loaded with it, not at the start. */
export const developers = inLanguage('developers', {
  title: 'Developers',
  api: 'API',
  apiText:
    'Programs use the API with a key, in the header X-Api-Key. Give every program its own key, with the rights and the budget that it needs.',
  copyAddress: 'Copy the address of the API',
  reference: 'Reference',
  openapi: 'OpenAPI 3.1',
  health: 'State',
  requests: 'Requests to copy',
  language: 'Language',
  wallet: 'Wallet',
  client: 'The client is part of Satchel: npm pack ./client creates a package. It has types for every operation and no dependencies.',
  copySnippet: (title: string) => `Copy: ${title}`,
  snippets: {
    first: { title: 'First', text: 'Put a secret API key, or the wallet’s admin key, in place of sak_….' },
    balance: { title: 'Read the balance', text: 'balance is what the wallet can spend, in sats.' },
    invoice: { title: 'Create an invoice', text: 'Without num_satoshis, the payer chooses the amount.' },
    wait: {
      title: 'Wait until it is paid',
      text: 'The id is that of the invoice. The response comes when status is no longer open, or after 60 seconds.',
    },
    pay: {
      title: 'Pay an invoice',
      text: 'After a lost connection or a 5xx, repeat the request with the same Idempotency-Key: the service pays once. Each payment needs a key of its own. Only a 4xx to the first request means that nothing was paid; a 4xx to a repetition can leave the outcome unknown.',
    },
    events: { title: 'Receive events live', text: 'A stream of what happens in the wallet.' },
    webhook: {
      title: 'Receive webhooks',
      text: 'Needs a secret API key. The signing secret whsec_… is in the response that creates the webhook.',
    },
  },
  webhooks: 'Signatures of webhooks',
  webhooksText:
    'Each delivery is signed as in Standard Webhooks. Verify the raw body before you parse it, compare in constant time, and reject timestamps older than five minutes. An event may come twice: remember its id.',
  headers: [
    ['webhook-id', 'The id of the event'],
    ['webhook-timestamp', 'The time of the attempt, in Unix seconds'],
    [
      'webhook-signature',
      'v1, and the base64 of HMAC-SHA256 over id.timestamp.body. The key is the base64 after whsec_. Several during a rotation.',
    ],
  ] as readonly (readonly [string, string])[],
  lnurl: 'LNURL and Lightning addresses',
  lnurlPaths: [
    ['GET /.well-known/lnurlp/<name>', 'What other wallets read before they pay the address'],
    ['POST /v1/wallet/<id>/lnurlp', 'Creates a pay link. With lnurlp_identifier, it is a Lightning address'],
    ['POST /v1/wallet/<id>/lnurlp/pay', 'Pays an LNURL or a Lightning address'],
    ['POST /v1/wallet/<id>/lnurl/withdraw', 'Creates a withdraw link: the first wallet that scans it gets the sats'],
    ['POST /v1/lnurl-auth', 'Logs the users of your application in with a Lightning wallet'],
  ] as readonly (readonly [string, string])[],
});
