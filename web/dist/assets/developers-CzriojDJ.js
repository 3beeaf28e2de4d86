import{A as e,Et as t,Ht as n,Nt as r,O as i,Y as a,_ as o,dt as s,g as c,j as l,k as u,pt as d,v as f}from"./shared-BhX47kOT.js";var p=[`first`,`balance`,`invoice`,`wait`,`pay`,`events`,`webhook`];function m(e,t){return{curl:h,javascript:g,python:_}[e](t)}function h({url:e,wallet:t}){return{first:`URL='${e}'
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
    return is_recent and any(hmac.compare_digest(expected, one) for one in given)`}}var v=[{value:`curl`,label:`curl`},{value:`javascript`,label:`JavaScript`},{value:`python`,label:`Python`}];function y(){let[i,h]=r(),g=o(),_=i.get(`wallet`)??g[0]?.value??`wal_…`,y=v.find(({value:e})=>e===i.get(`language`))?.value??`curl`,S=m(y,{url:t,wallet:_});function C(e,t){h(n=>({...Object.fromEntries(n),[e]:t}),{replace:!0})}return s(n,{children:[s(a,{title:d.developers.title}),s(l,{title:d.developers.api,isPadded:!0,children:s(`div`,{class:`stack`,children:[s(u,{text:t,label:d.developers.copyAddress}),s(`p`,{class:`secondary`,children:d.developers.apiText}),s(e,{entries:[[d.developers.reference,s(b,{path:`/docs`},`docs`)],[d.developers.openapi,s(b,{path:`/openapi.json`},`openapi`)],[d.developers.health,s(b,{path:`/readyz`},`readyz`)]]})]})}),s(l,{title:d.developers.requests,actions:s(f,{label:d.developers.language,value:y,options:v,onChange:e=>C(`language`,e)}),isPadded:!0,children:s(`div`,{class:`stack`,children:[s(c,{label:d.developers.wallet,value:_,onValue:e=>C(`wallet`,e)}),y===`javascript`&&s(`p`,{class:`small secondary`,children:d.developers.client}),p.map(e=>s(x,{name:e,code:S[e]},e))]})}),s(l,{title:d.developers.webhooks,isPadded:!0,children:s(`div`,{class:`stack`,children:[s(`p`,{class:`secondary`,children:d.developers.webhooksText}),s(e,{entries:d.developers.headers})]})}),s(l,{title:d.developers.lnurl,isPadded:!0,children:s(e,{entries:d.developers.lnurlPaths})})]})}function b({path:e}){return s(`a`,{href:t+e,children:t+e})}function x({name:e,code:t}){let{title:n,text:r}=d.developers.snippets[e];return s(`section`,{class:`stack tight`,children:[s(`div`,{children:[s(`h3`,{children:n}),r!==``&&s(`p`,{class:`small secondary`,children:r})]}),s(`div`,{class:`snippet`,children:[s(`pre`,{class:`code`,tabIndex:0,children:t}),s(i,{text:t,label:d.developers.copySnippet(n)})]})]})}export{y as DevelopersScreen};