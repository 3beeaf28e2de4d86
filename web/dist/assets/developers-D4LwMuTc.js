import{A as e,Ft as t,M as n,N as r,Wt as i,Z as a,_ as o,g as s,ht as c,j as l,kt as u,pt as d,v as f}from"./shared-D1RZqFVJ.js";var p=[`first`,`balance`,`invoice`,`wait`,`pay`,`events`,`webhook`];function m(e,t){return{curl:h,javascript:g,python:_}[e](t)}function h({url:e,wallet:t}){return{first:`URL='${e}'
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
    return is_recent and any(hmac.compare_digest(expected, one) for one in given)`}}var v=[{value:`curl`,label:`curl`},{value:`javascript`,label:`JavaScript`},{value:`python`,label:`Python`}];function y(){let[e,h]=t(),g=o(),_=e.get(`wallet`)??g[0]?.value??`wal_…`,y=v.find(({value:t})=>t===e.get(`language`))?.value??`curl`,S=m(y,{url:u,wallet:_});function C(e,t){h(n=>({...Object.fromEntries(n),[e]:t}),{replace:!0})}return d(i,{children:[d(a,{title:c.developers.title}),d(r,{title:c.developers.api,isPadded:!0,children:d(`div`,{class:`stack`,children:[d(l,{text:u,label:c.developers.copyAddress}),d(`p`,{class:`secondary`,children:c.developers.apiText}),d(n,{entries:[[c.developers.reference,d(b,{path:`/docs`},`docs`)],[c.developers.openapi,d(b,{path:`/openapi.json`},`openapi`)],[c.developers.health,d(b,{path:`/readyz`},`readyz`)]]})]})}),d(r,{title:c.developers.requests,actions:d(f,{label:c.developers.language,value:y,options:v,onChange:e=>C(`language`,e)}),isPadded:!0,children:d(`div`,{class:`stack`,children:[d(s,{label:c.developers.wallet,value:_,onValue:e=>C(`wallet`,e)}),y===`javascript`&&d(`p`,{class:`small secondary`,children:c.developers.client}),p.map(e=>d(x,{name:e,code:S[e]},e))]})}),d(r,{title:c.developers.webhooks,isPadded:!0,children:d(`div`,{class:`stack`,children:[d(`p`,{class:`secondary`,children:c.developers.webhooksText}),d(n,{entries:c.developers.headers})]})}),d(r,{title:c.developers.lnurl,isPadded:!0,children:d(n,{entries:c.developers.lnurlPaths})})]})}function b({path:e}){return d(`a`,{href:u+e,children:u+e})}function x({name:t,code:n}){let{title:r,text:i}=c.developers.snippets[t];return d(`section`,{class:`stack tight`,children:[d(`div`,{children:[d(`h3`,{children:r}),i!==``&&d(`p`,{class:`small secondary`,children:i})]}),d(`div`,{class:`snippet`,children:[d(`pre`,{class:`code`,tabIndex:0,children:n}),d(e,{text:n,label:c.developers.copySnippet(r)})]})]})}export{y as DevelopersScreen};