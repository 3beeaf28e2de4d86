import{A as e,Bt as t,D as n,E as r,M as i,O as a,dt as o,j as s,jt as c,k as l,lt as u,q as d,wt as f}from"./shared-C_YBIr0U.js";var p=[`first`,`balance`,`invoice`,`wait`,`pay`,`events`,`webhook`];function m(e,t){return{curl:h,javascript:g,python:_}[e](t)}function h({url:e,wallet:t}){return{first:`URL='${e}'
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
    return is_recent and any(hmac.compare_digest(expected, one) for one in given)`}}var v=[{value:`curl`,label:`curl`},{value:`javascript`,label:`JavaScript`},{value:`python`,label:`Python`}];function y(){let[e,h]=c(),g=n(),_=e.get(`wallet`)??g[0]?.value??`wal_…`,y=v.find(({value:t})=>t===e.get(`language`))?.value??`curl`,S=m(y,{url:f,wallet:_});function C(e,t){h(n=>({...Object.fromEntries(n),[e]:t}),{replace:!0})}return u(t,{children:[u(d,{title:o.developers.title}),u(i,{title:o.developers.api,isPadded:!0,children:u(`div`,{class:`stack`,children:[u(s,{text:f,label:o.developers.copyAddress}),u(`p`,{class:`secondary`,children:o.developers.apiText}),u(l,{entries:[[o.developers.reference,u(b,{path:`/docs`},`docs`)],[o.developers.openapi,u(b,{path:`/openapi.json`},`openapi`)],[o.developers.health,u(b,{path:`/readyz`},`readyz`)]]})]})}),u(i,{title:o.developers.requests,actions:u(a,{label:o.developers.language,value:y,options:v,onChange:e=>C(`language`,e)}),isPadded:!0,children:u(`div`,{class:`stack`,children:[u(r,{label:o.developers.wallet,value:_,onValue:e=>C(`wallet`,e)}),y===`javascript`&&u(`p`,{class:`small secondary`,children:o.developers.client}),p.map(e=>u(x,{name:e,code:S[e]},e))]})}),u(i,{title:o.developers.webhooks,isPadded:!0,children:u(`div`,{class:`stack`,children:[u(`p`,{class:`secondary`,children:o.developers.webhooksText}),u(l,{entries:o.developers.headers})]})}),u(i,{title:o.developers.lnurl,isPadded:!0,children:u(l,{entries:o.developers.lnurlPaths})})]})}function b({path:e}){return u(`a`,{href:f+e,children:f+e})}function x({name:t,code:n}){let{title:r,text:i}=o.developers.snippets[t];return u(`section`,{class:`stack tight`,children:[u(`div`,{children:[u(`h3`,{children:r}),i!==``&&u(`p`,{class:`small secondary`,children:i})]}),u(`div`,{class:`snippet`,children:[u(`pre`,{class:`code`,tabIndex:0,children:n}),u(e,{text:n,label:o.developers.copySnippet(r)})]})]})}export{y as DevelopersScreen};