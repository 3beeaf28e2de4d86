/** What the snippets do, in the order of the page. `first` has the values that the others use. */
export const SNIPPET_NAMES = ['first', 'balance', 'invoice', 'wait', 'pay', 'events', 'webhook'] as const;
export type SnippetName = (typeof SNIPPET_NAMES)[number];
export type Language = 'curl' | 'javascript' | 'python';

export interface Place {
  /** The address of the service. */
  readonly url: string;
  /** The id of the wallet. */
  readonly wallet: string;
}

/** The places of secrets and of values of earlier responses. */
export const PLACEHOLDERS = { key: 'sak_…', invoiceId: 'lntx_…', invoice: 'lnbc…', secret: 'whsec_…' };

/** Returns programs for a wallet. Each works below `first`. */
export function snippetsOf(language: Language, place: Place): Readonly<Record<SnippetName, string>> {
  return { curl, javascript, python }[language](place);
}

function curl({ url, wallet }: Place): Record<SnippetName, string> {
  return {
    first: `URL='${url}'
WALLET='${wallet}'
KEY='sak_…'`,
    balance: `curl "$URL/v1/wallet/$WALLET" -H "X-Api-Key: $KEY"`,
    invoice: `curl "$URL/v1/wallet/$WALLET/invoice" -H "X-Api-Key: $KEY" \\
  -d num_satoshis=1000 -d memo='Order 17'`,
    wait: `curl "$URL/v1/lntx/lntx_…?wait=60" -H "X-Api-Key: $KEY"`,
    pay: `curl "$URL/v1/wallet/$WALLET/withdraw" -H "X-Api-Key: $KEY" \\
  -H 'Idempotency-Key: payment-17' \\
  -d payment_request='lnbc…' -d fee_limit_msat=5000`,
    events: `curl -N "$URL/v1/wallet/$WALLET/events" -H "X-Api-Key: $KEY" \\
  -H 'Accept: text/event-stream'`,
    webhook: `curl "$URL/v1/webhooks" -H "X-Api-Key: $KEY" \\
  -d url=https://shop.example/satchel -d event_types=wallet_receive,wallet_send`,
  };
}

function javascript({ url, wallet }: Place): Record<SnippetName, string> {
  return {
    first: `import { createClient, verifyWebhook } from 'satchel-client';

const wallet = '${wallet}';
const satchel = createClient({ url: '${url}', key: 'sak_…' });`,
    balance: `const { balance } = await satchel.wallets.get(wallet);
console.log(balance);`,
    invoice: `const invoice = await satchel.invoices.create(wallet, { num_satoshis: 1000, memo: 'Order 17' });
console.log(invoice.id, invoice.payment_request);`,
    wait: `const { status } = await satchel.lightningTransactions.wait('lntx_…');
console.log(status);`,
    pay: `const paid = await satchel.wallets.withdraw(
  wallet,
  { payment_request: 'lnbc…', fee_limit_msat: 5000 },
  { idempotencyKey: 'payment-17' },
);
console.log(paid.lnTx.id, paid.lnTx.status);`,
    events: `for await (const event of satchel.events.stream({ wallet })) {
  console.log(event.id, event.type);
}`,
    webhook: `// In the endpoint, with the raw body and the headers of the request.
async function receive(body, headers) {
  const event = await verifyWebhook(body, headers, 'whsec_…');
  console.log(event.id, event.type);
}`,
  };
}

function python({ url, wallet }: Place): Record<SnippetName, string> {
  return {
    first: `import base64, hashlib, hmac, json, time, urllib.request

URL = '${url}'
WALLET = '${wallet}'
KEY = 'sak_…'

def call(method, path, body=None, headers={}):
    headers = {'X-Api-Key': KEY, 'Content-Type': 'application/json', **headers}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=90) as response:
        return json.load(response)  # a 4xx or 5xx raises HTTPError`,
    balance: `wallet = call('GET', f'/v1/wallet/{WALLET}')
print(wallet['balance'])`,
    invoice: `invoice = call('POST', f'/v1/wallet/{WALLET}/invoice', {'num_satoshis': 1000, 'memo': 'Order 17'})
print(invoice['id'], invoice['payment_request'])`,
    wait: `lntx = call('GET', '/v1/lntx/lntx_…?wait=60')
print(lntx['status'])`,
    pay: `paid = call('POST', f'/v1/wallet/{WALLET}/withdraw',
    {'payment_request': 'lnbc…', 'fee_limit_msat': 5000},
    {'Idempotency-Key': 'payment-17'})
print(paid['lnTx']['id'], paid['lnTx']['status'])`,
    events: `stream = {'X-Api-Key': KEY, 'Accept': 'text/event-stream'}
request = urllib.request.Request(f'{URL}/v1/wallet/{WALLET}/events', headers=stream)
for line in urllib.request.urlopen(request):
    if line.startswith(b'data: '):
        print(json.loads(line[6:])['event']['name'], flush=True)`,
    webhook: `# In the endpoint, with the raw body and the headers of the request.
def is_valid(body, headers, secret='whsec_…'):
    key = base64.b64decode(secret.removeprefix('whsec_'))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = 'v1,' + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    is_recent = abs(time.time() - int(headers['webhook-timestamp'])) < 300
    given = headers['webhook-signature'].split(' ')
    return is_recent and any(hmac.compare_digest(expected, one) for one in given)`,
  };
}
