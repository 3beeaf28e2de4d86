import{D as e,F as t,I as n,Kt as r,Nt as i,O as a,P as o,cn as s,dt as c,f as l,k as u,p as d}from"./shared-D0UL-zwE.js";var f={title:`Developers`,api:`API`,apiText:`Programs use the API with a key, in the header X-Api-Key. Give every program its own key, with the rights and the budget that it needs.`,copyAddress:`Copy the address of the API`,reference:`Reference`,openapi:`OpenAPI 3.1`,health:`State`,requests:`Requests to copy`,language:`Language`,wallet:`Wallet`,client:`The client is part of Satchel: npm pack ./client creates a package. It has types for every operation and no dependencies.`,copySnippet:e=>`Copy: ${e}`,snippets:{first:{title:`First`,text:`Put a secret API key, or the wallet’s admin key, in place of sak_….`},balance:{title:`Read the balance`,text:`balance is what the wallet can spend, in sats.`},invoice:{title:`Create an invoice`,text:`Without num_satoshis, the payer chooses the amount.`},wait:{title:`Wait until it is paid`,text:`The id is that of the invoice. The response comes when status is no longer pending, or after 60 seconds.`},pay:{title:`Pay an invoice`,text:`After a lost connection or a 5xx, repeat the request with the same Idempotency-Key: the service pays once. Each payment needs a key of its own. Only a 4xx to the first request means that nothing was paid; a 4xx to a repetition can leave the outcome unknown.`},events:{title:`Receive events live`,text:`A stream of what happens in the wallet.`},webhook:{title:`Receive webhooks`,text:`Needs a secret API key. The signing secret whsec_… is in the response that creates the webhook.`}},webhooks:`Signatures of webhooks`,webhooksText:`Each delivery is signed as in Standard Webhooks. Verify the raw body before you parse it, compare in constant time, and reject timestamps older than five minutes. An event may come twice: remember its id.`,headers:[[`webhook-id`,`The id of the event`],[`webhook-timestamp`,`The time of the attempt, in Unix seconds`],[`webhook-signature`,`v1, and the base64 of HMAC-SHA256 over id.timestamp.body. The key is the base64 after whsec_. Several during a rotation.`]],lnurl:`LNURL and Lightning addresses`,lnurlPaths:[[`GET /.well-known/lnurlp/<name>`,`What other wallets read before they pay the address`],[`POST /v1/wallet/<id>/lnurlp`,`Creates a pay link. With lnurlp_identifier, it is a Lightning address`],[`POST /v1/wallet/<id>/lnurlp/pay`,`Pays an LNURL or a Lightning address`],[`POST /v1/wallet/<id>/lnurl/withdraw`,`Creates a withdraw link: the first wallet that scans it gets the sats`],[`POST /v1/lnurl-auth`,`Logs the users of your application in with a Lightning wallet`]]},p=[`first`,`balance`,`invoice`,`wait`,`pay`,`events`,`webhook`];function m(e,t){return{curl:h,javascript:g,python:_}[e](t)}function h({url:e,wallet:t}){return{first:`URL='${e}'
WALLET='${t}'
KEY='sak_…'`,balance:`curl "$URL/v1/wallet/$WALLET" -H "X-Api-Key: $KEY"`,invoice:`curl "$URL/v1/wallet/$WALLET/invoice" -H "X-Api-Key: $KEY" \\
  -d num_satoshis=1000 -d memo='Order 17'`,wait:`curl "$URL/v1/lntx/lntx_…?wait=60" -H "X-Api-Key: $KEY"`,pay:`curl "$URL/v1/wallet/$WALLET/withdraw" -H "X-Api-Key: $KEY" \\
  -H 'Idempotency-Key: payment-17' \\
  -d payment_request='lnbc…' -d fee_limit_msat=5000`,events:`curl -N "$URL/v1/wallet/$WALLET/events" -H "X-Api-Key: $KEY" \\
  -H 'Accept: text/event-stream'`,webhook:`curl "$URL/v1/webhooks" -H "X-Api-Key: $KEY" \\
  -d url=https://shop.example/satchel -d event_types=wallet_receive,wallet_send`}}function g({url:e,wallet:t}){return{first:`import { createClient, events, verifyWebhook, waitForPayment } from 'satchel-client';

const url = '${e}';
const wallet = '${t}';
const key = 'sak_…';
const satchel = createClient({ url, key });`,balance:`const { balance } = await satchel.getWallet({ key: wallet });
console.log(balance);`,invoice:`const invoice = await satchel.createInvoice({ key: wallet, num_satoshis: 1000, memo: 'Order 17' });
console.log(invoice.id, invoice.payment_request);`,wait:`const { status } = await waitForPayment(satchel, 'lntx_…');
console.log(status);`,pay:`const paid = await satchel.withdraw(
  { key: wallet, payment_request: 'lnbc…', fee_limit_msat: 5000 },
  { idempotencyKey: 'payment-17' },
);
console.log(paid.lnTx.id, paid.lnTx.status);`,events:`for await (const event of events({ url, key, wallet })) {
  console.log(event.id, event.event.name);
}`,webhook:`// In the endpoint, with the raw body and the headers of the request.
async function receive(body, headers) {
  const event = await verifyWebhook(body, headers, 'whsec_…');
  console.log(event.id, event.event.name);
}`}}function _({url:e,wallet:t}){return{first:`import base64, hashlib, hmac, json, time, urllib.request

URL = '${e}'
WALLET = '${t}'
KEY = 'sak_…'

def call(method, path, body=None, headers={}):
    headers = {'X-Api-Key': KEY, 'Content-Type': 'application/json', **headers}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=90) as response:
        return json.load(response)  # a 4xx or 5xx raises HTTPError`,balance:`wallet = call('GET', f'/v1/wallet/{WALLET}')
print(wallet['balance'])`,invoice:`invoice = call('POST', f'/v1/wallet/{WALLET}/invoice', {'num_satoshis': 1000, 'memo': 'Order 17'})
print(invoice['id'], invoice['payment_request'])`,wait:`lntx = call('GET', '/v1/lntx/lntx_…?wait=60')
print(lntx['status'])`,pay:`paid = call('POST', f'/v1/wallet/{WALLET}/withdraw',
    {'payment_request': 'lnbc…', 'fee_limit_msat': 5000},
    {'Idempotency-Key': 'payment-17'})
print(paid['lnTx']['id'], paid['lnTx']['status'])`,events:`stream = {'X-Api-Key': KEY, 'Accept': 'text/event-stream'}
request = urllib.request.Request(f'{URL}/v1/wallet/{WALLET}/events', headers=stream)
for line in urllib.request.urlopen(request):
    if line.startswith(b'data: '):
        print(json.loads(line[6:])['event']['name'], flush=True)`,webhook:`# In the endpoint, with the raw body and the headers of the request.
def is_valid(body, headers, secret='whsec_…'):
    key = base64.b64decode(secret.removeprefix('whsec_'))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = 'v1,' + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    is_recent = abs(time.time() - int(headers['webhook-timestamp'])) < 300
    given = headers['webhook-signature'].split(' ')
    return is_recent and any(hmac.compare_digest(expected, one) for one in given)`}}var v=[{value:`curl`,label:`curl`},{value:`javascript`,label:`JavaScript`},{value:`python`,label:`Python`}];function y(){let[e,h]=l(),g=n(),_=e.get(`wallet`)??g[0]?.value??`wal_…`,y=v.find(({value:t})=>t===e.get(`language`))?.value??`curl`,S=m(y,{url:r,wallet:_});return i(s,{children:[i(c,{title:f.title}),i(u,{title:f.api,isPadded:!0,children:i(`div`,{class:`stack`,children:[i(a,{text:r,label:f.copyAddress}),i(`p`,{class:`secondary`,children:f.apiText}),i(o,{entries:[[f.reference,i(b,{path:`/docs`},`docs`)],[f.openapi,i(b,{path:`/openapi.json`},`openapi`)],[f.health,i(b,{path:`/readyz`},`readyz`)]]})]})}),i(u,{title:f.requests,actions:i(d,{label:f.language,value:y,options:v,onChange:e=>h({language:e})}),isPadded:!0,children:i(`div`,{class:`stack`,children:[i(t,{label:f.wallet,value:_,onValue:e=>h({wallet:e})}),y===`javascript`&&i(`p`,{class:`small secondary`,children:f.client}),p.map(e=>i(x,{name:e,code:S[e]},e))]})}),i(u,{title:f.webhooks,isPadded:!0,children:i(`div`,{class:`stack`,children:[i(`p`,{class:`secondary`,children:f.webhooksText}),i(o,{entries:f.headers})]})}),i(u,{title:f.lnurl,isPadded:!0,children:i(o,{entries:f.lnurlPaths})})]})}function b({path:e}){return i(`a`,{href:r+e,children:r+e})}function x({name:t,code:n}){let{title:r,text:a}=f.snippets[t];return i(`section`,{class:`stack tight`,children:[i(`div`,{children:[i(`h3`,{children:r}),a!==``&&i(`p`,{class:`small secondary`,children:a})]}),i(`div`,{class:`snippet`,children:[i(`pre`,{class:`code`,tabIndex:0,children:n}),i(e,{text:n,label:f.copySnippet(r)})]})]})}export{y as DevelopersScreen};