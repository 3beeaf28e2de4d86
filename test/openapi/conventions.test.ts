import { describe, expect, it } from 'vitest';
import { REFUSALS } from '../../src/core/kernel/refusal.ts';
import type { JsonSchema } from '../../src/http/openapi/openapi-types.ts';
import { committedApi, operationsOf, type Walked } from './conformance/operations.ts';

// docs/api.md, "Conventions". Each exception has its reason; a new route follows the rules.
const document = committedApi();
const walk = operationsOf(document);

/** The reason of an exception, by the names of operations or fields. */
type Exceptions = Readonly<Record<string, readonly string[]>>;

const exceptIn = (exceptions: Exceptions) => new Set(Object.values(exceptions).flat());
const without = (names: Iterable<string>, exceptions: Exceptions) => [...names].filter((name) => !exceptIn(exceptions).has(name));
const idOf = ({ operation }: Walked) => operation.operationId;
const namesIn = ({ fields }: Walked, place: string) => fields.filter((field) => field.in === place).map(({ name }) => name);
const tagOf = ({ operation }: Walked) => operation.tags[0];

/** Returns every property of the document's objects, with the name of the object. */
const properties = Object.entries(document.components.schemas).flatMap(([object, schema]) => propertiesOf(object, schema));

function propertiesOf(object: string, schema: JsonSchema): { object: string; name: string; schema: JsonSchema; among: string[] }[] {
  const own = Object.entries(schema.properties ?? {});
  const among = own.map(([name]) => name);
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [
    ...own.flatMap(([name, field]) => [{ object, name, schema: field, among }, ...propertiesOf(`${object}.${name}`, field)]),
    ...inner.flatMap((one) => propertiesOf(object, one)),
  ];
}

function isArray({ responses }: Walked['operation']): boolean {
  const { content = {} } = (responses['200'] ?? {}) as { content?: Record<string, { schema?: JsonSchema }> };
  return content['application/json']?.schema?.type === 'array';
}

describe('the conventions of the API', () => {
  it('write names in snake_case', () => {
    const exceptions: Exceptions = {
      'fields of LNPay, which its clients read': [
        'passThru',
        'wtxType',
        'statusType',
        'walletType',
        'lnTx',
        'lnPayParams',
        'failureReason',
      ],
      'fields of LNURL': [
        'minSendable',
        'maxSendable',
        'commentAllowed',
        'payerData',
        'successAction',
        'balanceCheck',
        'balanceNotify',
      ].concat(['maxWithdrawable', 'minWithdrawable', 'defaultDescription', 'currentBalance', 'payLink']),
      'fields of LNPay with those of LNURL': ['lnurlp_minSendable_msat', 'lnurlp_maxSendable_msat', 'lnurlp_commentAllowed'].concat([
        'lnurlp_payerData',
        'lnurlp_successAction',
        'allowsNostr',
        'nostrPubkey',
      ]),
      'routes of LND, which LNPay passed on': [
        'successProb',
        'totalTimeLock',
        'totalAmt',
        'totalAmtMsat',
        'totalFeesMsat',
        'chanId',
      ].concat(['chanCapacity', 'amtToForward', 'amtToForwardMsat', 'feeMsat', 'pubKey', 'tlvPayload']),
      'options of WebAuthn': ['rpId', 'userVerification', 'pubKeyCredParams', 'excludeCredentials', 'authenticatorSelection'].concat([
        'residentKey',
        'displayName',
        'requireResidentKey',
        'clientDataJSON',
        'attestationObject',
        'authenticatorData',
        'userHandle',
      ]),
      'names of HTTP and of lists': ['per-page', 'Idempotency-Key', 'Prefer', 'X-LNPAY-ASYNC', 'last-event-id'],
    };
    const names = [...properties.map(({ name }) => name), ...walk.flatMap(({ fields }) => fields.map(({ name }) => name))];
    const wrong = new Set(names.filter((name) => !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name)));
    expect(without(wrong, exceptions)).toEqual([]);
  });

  it('accept an amount in satoshis or millisatoshis, and return both', () => {
    const requests: Exceptions = {
      'the address of a withdraw link has satoshis (LNPay)': [
        ...['createWithdrawLink', 'makeWithdrawLink', 'createPermanentWithdrawLink', 'makePermanentWithdrawLink'],
        ...['processWithdrawLink', 'getWithdrawLinkQr'],
      ],
      'the test network': [
        ...['playgroundPay', 'playgroundFund', 'playgroundKeysend', 'playgroundInvoice'],
        ...['playgroundPayLink', 'playgroundClaim'],
      ],
    };
    const inOneUnit = walk.filter(({ fields }) => {
      const units = ['num_satoshis', 'num_msat'].filter((unit) => fields.some(({ name }) => name === unit));
      return units.length === 1;
    });
    expect(inOneUnit.map(idOf).sort()).toEqual([...exceptIn(requests)].sort());
    const objects = properties.filter(({ name, among }) => name === 'num_satoshis' && !among.includes('num_msat'));
    expect(objects.map(({ object }) => object)).toEqual([]);
  });

  it('name the unit of every other amount at the end of its name', () => {
    const exceptions: Exceptions = {
      'LNPay: whole satoshis': ['num_satoshis', 'balance'],
      'filters that compare num_satoshis, which is rounded': ['min_satoshis', 'max_satoshis'],
      'LNURL: millisatoshis': ['minSendable', 'maxSendable', 'minWithdrawable', 'maxWithdrawable', 'currentBalance', 'amount'],
      'LND, as LNPay passed it on': ['amt'],
    };
    const said = [
      ...properties.map(({ name, schema }) => ({ name, schema })),
      ...walk.flatMap(({ fields }) => fields.map(({ name, schema }) => ({ name, schema }))),
    ];
    const isAmount = ({ name, schema }: { name: string; schema: JsonSchema }) =>
      [schema.type].flat().includes('integer') &&
      /(^|_)(amount|amt|balance|fee|fees|satoshis|sat|msat)(_|$)|sendable|withdrawable/i.test(name);
    const wrong = new Set(said.filter(isAmount).flatMap(({ name }) => (name.endsWith('_msat') ? [] : [name])));
    expect(without(wrong, exceptions)).toEqual([]);
  });

  it('name the label that a caller gives an object `user_label`', () => {
    const exceptions: Exceptions = { 'what a search found is a label, a memo, an address or an e-mail': ['SearchResult'] };
    expect(without(new Set(properties.flatMap(({ name, object }) => (name === 'label' ? [object] : []))), exceptions)).toEqual([]);
    // The filter of lists also matches memos.
    const written = walk.filter(({ method, fields }) => method !== 'GET' && fields.some(({ name }) => name === 'label'));
    expect(written.map(idOf)).toEqual([]);
  });

  it('have one list of pages: `after`, `per-page`, `order`, `count`', () => {
    const exceptions: Exceptions = {
      'page numbers of LNPay, in addition': ['listWallets', 'listWalletTransactions', 'listTransactions'],
    };
    const short: Exceptions = {
      'as many as the settings or the limits of an account allow': [
        'listNodes',
        'listChecks',
        'listLimits',
        'listWalletLimits',
        'listLinkedKeys',
        'listPasskeys',
        'listRates',
        'listAlertChannels',
      ],
      'at most 400 samples of a period': ['listBalanceSamples'],
    };
    const arrays = walk.filter(({ method, operation }) => method === 'GET' && isArray(operation));
    const whole = arrays.filter((one) => !namesIn(one, 'query').includes('per-page'));
    expect(without(whole.map(idOf), short)).toEqual([]);
    const lists = walk.filter((one) => namesIn(one, 'query').includes('per-page'));
    const numbered = lists.filter((one) => namesIn(one, 'query').includes('page'));
    expect(numbered.map(idOf).sort()).toEqual([...exceptIn(exceptions)].sort());
    const others = lists.filter((one) => !namesIn(one, 'query').includes('page') && !namesIn(one, 'query').includes('order'));
    // The best results, which have no order to continue in.
    expect(others.map(idOf)).toEqual(['search']);
    const listed = lists.filter((one) => idOf(one) !== 'search');
    for (const name of ['after', 'per-page', 'order'])
      expect(listed.filter((one) => !namesIn(one, 'query').includes(name)).map(idOf), name).toEqual([]);
    // Events are not counted.
    expect(listed.filter((one) => !namesIn(one, 'query').includes('count')).map(idOf)).toEqual(['listWalletEvents', 'listEvents']);
  });

  it('take an Idempotency-Key on every POST, and require it only from operators and for lists of payments', () => {
    const keyed = (one: Walked) => one.fields.find(({ name }) => name === 'Idempotency-Key');
    const posts = walk.filter(({ method }) => method === 'POST');
    // A login has secrets that must not be stored, the playground is a test network, and a read has no effect to repeat.
    const reads = posts.filter(({ operation }) => operation['x-read-only'] === true);
    expect(reads.map(idOf)).toEqual(['probeWithdrawLink']);
    expect(reads.filter(keyed)).toEqual([]);
    const unkeyed = posts.filter((one) => !keyed(one) && !reads.includes(one));
    expect(new Set(unkeyed.map(tagOf))).toEqual(new Set(['Sessions', 'Playground']));
    expect(posts.filter((one) => keyed(one) && ['Sessions', 'Playground'].includes(tagOf(one) ?? '')).map(idOf)).toEqual([]);
    // The record of an operator's action has one entry for each.
    const required = walk.filter((one) => keyed(one)?.required);
    const lists: Exceptions = { 'a retry of a list must have one effect': ['bulkTransfer', 'createPayout'] };
    expect(without(required.filter(({ operation }) => operation['x-permission'] !== 'operator').map(idOf), lists)).toEqual([]);
    const changes = walk.filter(({ method, operation }) => method !== 'GET' && operation['x-permission'] === 'operator');
    const unrecorded: Exceptions = { 'what the dashboard shows is no action': ['changeFirstSteps'] };
    expect(without(changes.filter((one) => !keyed(one)?.required).map(idOf), unrecorded)).toEqual([]);
    const others = walk.filter((one) => one.method !== 'POST' && keyed(one) && !keyed(one)?.required);
    expect(others.map(idOf)).toEqual([]);
  });

  it('take `Prefer: respond-async` on payments only', () => {
    const asynchronous = walk.filter((one) => namesIn(one, 'header').includes('Prefer'));
    expect(asynchronous.map(idOf).sort()).toEqual(['keysend', 'payLnurl', 'withdraw']);
  });

  it('create nothing by GET', () => {
    const exceptions: Exceptions = {
      'clients of LNPay create links by GET': ['makeWithdrawLink', 'makePermanentWithdrawLink'],
      'LNURL: the protocol has only GET': ['processWithdrawLink', 'payLink', 'payAddress', 'signAuthChallenge'],
    };
    const creating = walk.filter(({ method, operation }) => method === 'GET' && operation['x-side-effect']);
    expect(without(creating.map(idOf), exceptions)).toEqual([]);
  });

  it('use 409 for what another object prevents, and 429 where a later request succeeds', () => {
    const types = (status: number) => Object.entries(REFUSALS).flatMap(([type, refusal]) => (refusal.status === status ? [type] : []));
    expect(types(429).sort()).toEqual(['rate_limited', 'too_many_holds', 'too_many_invoices', 'too_many_payments']);
    expect(
      Object.keys(REFUSALS)
        .filter((type) => /taken$|^last_|^too_many/.test(type) && !types(429).includes(type))
        .sort(),
    ).toEqual(
      types(409)
        .filter((type) => !['key_unusable', 'webhook_inactive', 'action_refused'].includes(type))
        .sort(),
    );
  });

  it('spell words in one way, and give each object one `status`', () => {
    const words = [...JSON.stringify(document).matchAll(/\bcancell?ed\b/gi)].map(([word]) => word);
    // The reason of a failed payment is LND's word.
    expect(new Set(words.filter((word) => word !== 'CANCELED'))).toEqual(new Set(words.filter((word) => /cancelled/i.test(word))));
    const typed = properties.filter(({ name, among }) => name === 'statusType' && !among.includes('status'));
    expect(typed.map(({ object }) => object)).toEqual([]);
    const states = properties.filter(({ name }) => name === 'state').map(({ object }) => object);
    // The nodes of the playground report it in the words of a node.
    expect(new Set(states)).toEqual(new Set(['OutsidePayment', 'PlaygroundClaim', 'PlaygroundPaidLink']));
  });
});
