/** The text at the top of the document: the rules that apply to all routes. */
export const INTRODUCTION = `
A wallet in satoshis for every user, app or device. Amounts are \`num_satoshis\` (whole satoshis) or end in \`_msat\` (millisatoshis). Times
are Unix seconds.

**Addresses.** \`{key}\` in \`/v1/wallet/{key}\` is one of the wallet's access keys or, with a secret API key, the wallet's id. Every
\`/v1/wallet/{key}…\` is also available at \`/v1/user/wallet/{key}…\`; \`x-alias\` names the second address.

**Credentials.** The first one found is used, in this order: the header \`X-Api-Key\`, \`Authorization: Bearer\`, the query parameter
\`access-token\`, HTTP Basic with the key as the user name. Prefer a header: addresses are logged by proxies. \`x-permission\` names
the permission that the key needs in the wallet: \`wallet_read\`, \`wallet_tx_read\`, \`wallet_deposit\`, \`wallet_transfer\`,
\`wallet_withdraw\`; or \`account\` (a secret API key, \`sak_\`), \`secret_key\` (any key that is not public). The keys \`waklw_\` and \`waklp_\` only
identify a wallet in links; as credentials they are rejected with 403. \`x-without-limits\` marks operations that manage wallets, links, keys,
webhooks, logins or accounts: keys with a budget or a cap are rejected with 403.

**Bodies** are JSON, as described here, or forms with the same fields (also when no Content-Type is sent). A nested field of a form is a
JSON text or \`passThru[order]=17\`. An integer may be sent as a text of digits. \`null\` and \`""\` count as absent, except for amounts,
limits, budgets and times, where they are a 400. An unknown body field is a 400 that names it. An unknown query parameter is a 400 on lists
and where something is created, and ignored elsewhere.

**Status codes state what happened to the money.** 201: the request was executed. 202: the payment is in flight or its outcome is unknown, and
the money is held; poll \`GET /v1/lntx/{id}\` until \`status\` is not \`pending\`. 4xx: this request paid nothing and will pay nothing; but after
a 401, 403, 422 or 429, an earlier request with the same \`Idempotency-Key\` may have paid. 503: this request sent and booked nothing. 500, a
timeout or a lost connection: the outcome is unknown. Before you pay again, repeat the request with the same \`Idempotency-Key\`, or read the
history with \`status=all\`. The same invoice is never paid twice.

**Errors** are one object. Its \`type\` is for programs; the types of each status are listed with its response. An unsupported method is a 405
and an unknown address a 404 in the same form. Public LNURL addresses return every error as HTTP 200 with \`{"status":"ERROR","reason":"…"}\`.

**Two documents.** \`/openapi.json\` has the routes for applications, and those for accounts. \`/openapi-operator.json\` has the other routes for
operators, the logins of the dashboard and the playground.

**Headers** of every response are listed once, in \`x-response-headers\`. When you report a problem, include \`X-Request-Id\`.

**Values may be added.** Later versions may add values to a text with \`x-extensible-enum\` (types, statuses, kinds).
`.trim();
