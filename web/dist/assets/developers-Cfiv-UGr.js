import{A as e,D as t,J as n,M as r,Mt as i,N as a,O as o,Tt as s,Vt as c,ft as l,j as u,k as d,ut as f}from"./shared-C79T8jYq.js";var p=[`first`,`balance`,`invoice`,`wait`,`pay`,`events`,`webhook`];function m(e,t){return{curl:h,javascript:g,python:_}[e](t)}function h({url:e,wallet:t}){return{first:`URL='${e}'
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
    return is_recent and any(hmac.compare_digest(expected, one) for one in given)`}}var v=[{value:`curl`,label:`curl`},{value:`javascript`,label:`JavaScript`},{value:`python`,label:`Python`}];function y(){let[u,h]=i(),g=o(),_=u.get(`wallet`)??g[0]?.value??`wal_…`,y=v.find(({value:e})=>e===u.get(`language`))?.value??`curl`,S=m(y,{url:s,wallet:_});function C(e,t){h(n=>({...Object.fromEntries(n),[e]:t}),{replace:!0})}return f(c,{children:[f(n,{title:l.developers.title}),f(a,{title:l.developers.api,isPadded:!0,children:f(`div`,{class:`stack`,children:[f(r,{text:s,label:l.developers.copyAddress}),f(`p`,{class:`secondary`,children:l.developers.apiText}),f(e,{entries:[[l.developers.reference,f(b,{path:`/docs`},`docs`)],[l.developers.openapi,f(b,{path:`/openapi.json`},`openapi`)],[l.developers.health,f(b,{path:`/readyz`},`readyz`)]]})]})}),f(a,{title:l.developers.requests,actions:f(d,{label:l.developers.language,value:y,options:v,onChange:e=>C(`language`,e)}),isPadded:!0,children:f(`div`,{class:`stack`,children:[f(t,{label:l.developers.wallet,value:_,onValue:e=>C(`wallet`,e)}),y===`javascript`&&f(`p`,{class:`small secondary`,children:l.developers.client}),p.map(e=>f(x,{name:e,code:S[e]},e))]})}),f(a,{title:l.developers.webhooks,isPadded:!0,children:f(`div`,{class:`stack`,children:[f(`p`,{class:`secondary`,children:l.developers.webhooksText}),f(e,{entries:l.developers.headers})]})}),f(a,{title:l.developers.lnurl,isPadded:!0,children:f(e,{entries:l.developers.lnurlPaths})})]})}function b({path:e}){return f(`a`,{href:s+e,children:s+e})}function x({name:e,code:t}){let{title:n,text:r}=l.developers.snippets[e];return f(`section`,{class:`stack tight`,children:[f(`div`,{children:[f(`h3`,{children:n}),r!==``&&f(`p`,{class:`small secondary`,children:r})]}),f(`div`,{class:`snippet`,children:[f(`pre`,{class:`code`,tabIndex:0,children:t}),f(u,{text:t,label:l.developers.copySnippet(n)})]})]})}export{y as DevelopersScreen};