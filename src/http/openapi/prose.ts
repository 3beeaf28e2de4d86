/** What holds for all routes: said once, at the top of the description. Paragraphs are apart by an empty line. */
export const INTRODUCTION = `
A wallet in satoshis for every user, app or device. Amounts are \`num_satoshis\` (whole satoshis) or end in \`_msat\` (millisatoshis). Times
are Unix seconds.

**Addresses.** \`{key}\` in \`/v1/wallet/{key}\` is one of the wallet's access keys or, with a secret API key, the wallet's id. Every
\`/v1/wallet/{key}…\` also answers at \`/v1/user/wallet/{key}…\`; \`x-alias\` says so at each.

**Who is asking** is read from the first of these that is there: the header \`X-Api-Key\`, \`Authorization: Bearer\`, the query parameter
\`access-token\`, HTTP Basic with the key as the user name. Prefer a header: addresses end up in other people's logs. What stands beside a
security scheme below is the permission that the key needs in the wallet: \`wallet_read\`, \`wallet_tx_read\`, \`wallet_deposit\`,
\`wallet_transfer\`, \`wallet_withdraw\`; or \`account\` (a secret API key, \`sak_\`), \`secret_key\` (any key that is not public). The keys \`waklw_\`
and \`waklp_\` only name a wallet in links: as credentials they are answered 403.

**Bodies** are JSON or forms (also when no Content-Type is sent); nested fields of a form are JSON texts or \`passThru[order]=17\`. \`null\` and
\`""\` count as absent. Where an integer is expected, its digits as a text will do. A body field that does not exist is refused by name; a query
parameter that does not exist is ignored.

**Status codes move money.** 201: it is done. 202: it is under way or unclear, and the money is held: ask again. A 4xx promises that this
request paid nothing and will pay nothing; a 401, 403, 422 or 429 says nothing of an earlier request with the same \`Idempotency-Key\`. A 503
says that this request sent and booked nothing. A 500, like no answer at all, says nothing of the money: send the same request again with the
same \`Idempotency-Key\` (the same invoice is not paid twice in any case), or look at the history with \`status=all\`, before you pay again.

**Errors** are one object, whose \`type\` is a word of a closed table; the words of each status are listed with it. A method that an address
does not have is 405, an address that does not exist 404, in the same form. Public LNURL addresses answer every refusal with HTTP 200 and
\`{"status":"ERROR","reason":"…"}\`.
`.trim();

export const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key (sak_, pak_) or a wallet access key (waka_, …).' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The key as a bearer token.' },
  basic: { type: 'http', scheme: 'basic', description: 'The key as the user name; the password is ignored.' },
  accessToken: { type: 'apiKey', in: 'query', name: 'access-token', description: 'The key in the address. Prefer a header.' },
};
