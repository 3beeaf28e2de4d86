// Pays the invoice BILL from the wallet WALLET, then waits for the wallet's own invoice INVOICE. Reads these, URL and KEY from the environment.
const { URL: url, KEY, WALLET, BILL, INVOICE } = process.env;

async function call(method, path, body, headers = {}) {
  const init = {
    method,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  };
  const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(60_000) }); // longer than PAYMENT_WAIT_SECONDS
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function wait(id) {
  for (;;) {
    const lntx = await call('GET', `/v1/lntx/${id}?wait=30`);
    if (!['open', 'pending', 'arriving'].includes(lntx.status)) return lntx;
    await new Promise((resolve) => setTimeout(resolve, 1000)); // a busy service may respond before the 30 seconds are over
  }
}

const paid = await call('POST', `/v1/wallet/${WALLET}/withdraw`, { payment_request: BILL }, { 'idempotency-key': 'order-17' });
console.log('bill', (await wait(paid.lnTx.id)).status);
console.log('invoice', (await wait(INVOICE)).status);
