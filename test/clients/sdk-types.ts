import type { Json } from '../support/client.ts';

/** A type into which a Go program decodes JSON: a basic type, a struct by the JSON names of its fields, or a list of structs. */
export type GoType = 'string' | 'int' | 'bool' | 'map' | '[]string' | GoStruct | readonly [GoStruct];
export interface GoStruct {
  readonly [jsonName: string]: GoType;
}

const STATUS_TYPE: GoStruct = { type: 'string', name: 'string', display_name: 'string' };
const ACCESS_KEYS: GoStruct = { 'Wallet Admin': '[]string', 'Wallet Invoice': '[]string', 'Wallet Read': '[]string' };
const WAL: GoStruct = {
  id: 'string',
  user_label: 'string',
  created_at: 'int',
  updated_at: 'int',
  balance: 'int',
  statusType: STATUS_TYPE,
  accessKeys: ACCESS_KEYS,
};
const LNTX: GoStruct = {
  id: 'string',
  created_at: 'int',
  dest_pubkey: 'string',
  payment_request: 'string',
  r_hash_decoded: 'string',
  memo: 'string',
  description_hash: 'string',
  num_satoshis: 'int',
  expiry: 'int',
  expires_at: 'int',
  payment_preimage: 'string',
  settled: 'int',
  settled_at: 'int',
  is_keysend: 'bool',
  custom_records: 'map',
};
const WTX: GoStruct = {
  user_label: 'string',
  created_at: 'int',
  id: 'string',
  wal: WAL,
  wtxType: { layer: 'string', name: 'string', display_name: 'string' },
  lnTx: LNTX,
  passThru: 'map',
};

/** The type of the response, by method. Source: github.com/lnpay/lnpay-go, types.go and lnpay.go. */
export const GO = {
  // The struct `Wallet` has only its own key and address.
  CreateWallet: { Key: 'string', BASE_URL: 'string' },
  Details: WAL,
  Transactions: [WTX],
  Invoice: LNTX,
  Transaction: LNTX,
  Pay: WTX,
  // It decodes the whole response of a transfer into one `Wtx`.
  Transfer: WTX,
  Error: { name: 'string', message: 'string', code: 'int', status: 'int' },
} as const satisfies Record<string, GoType>;

/**
 * Lists what `encoding/json` of Go reports as an error: a value of another type than the field's. It accepts null for every type, ignores
 * unknown and missing names, and matches names without regard to case.
 */
export function goErrors(type: GoType, value: Json, path = '$'): string[] {
  if (value === null) return [];
  if (typeof type === 'string') return GO_CHECKS[type](value) ? [] : [`${path}: ${JSON.stringify(value)} is no ${type}`];
  if (Array.isArray(type)) {
    if (!Array.isArray(value)) return [`${path}: no list`];
    return value.flatMap((item, i) => goErrors(type[0], item, `${path}[${i}]`));
  }
  if (!isObject(value)) return [`${path}: no object`];
  const fields = new Map(Object.entries(type as GoStruct).map(([name, field]) => [name.toLowerCase(), field]));
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = fields.get(name.toLowerCase());
    return field === undefined ? [] : goErrors(field, inner, `${path}.${name}`);
  });
}

const GO_CHECKS: Readonly<Record<Extract<GoType, string>, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  int: (value) => Number.isSafeInteger(value),
  bool: (value) => typeof value === 'boolean',
  map: isObject,
  '[]string': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const PYTHON_TYPES = ['wtxType.layer', 'wtxType.name', 'wtxType.display_name'];
const PYTHON_WTX = ['id', 'created_at', 'num_satoshis', 'user_label', 'lnTx', ...PYTHON_TYPES];
const PYTHON_LNTX = [
  ...['id', 'created_at', 'dest_pubkey', 'payment_request', 'r_hash_decoded', 'description_hash', 'memo', 'num_satoshis', 'expiry'],
  ...['expires_at', 'payment_preimage', 'settled', 'settled_at'],
];
const PYTHON_PAID = [...PYTHON_WTX, ...PYTHON_LNTX.map((name) => `lnTx.${name}`)];

/**
 * Source: github.com/lnpay/lnpay-py, lnpay_py/wallet.py, which returns dicts and documents their keys; a missing key is a KeyError in the
 * program that reads it. The specification of the API has no numeric ids of types, no `wallet_id` (but `wal.id`) and no `updated_at` of a
 * lightning transaction, which that file shows as well.
 */
export const PYTHON: Readonly<Record<string, readonly string[]>> = {
  get_info: ['id', 'created_at', 'updated_at', 'user_label', 'balance', 'statusType.type', 'statusType.name', 'statusType.display_name'],
  get_transactions: PYTHON_PAID,
  create_invoice: PYTHON_LNTX,
  pay_invoice: PYTHON_PAID,
  internal_transfer: ['in', 'out'].flatMap((side) => PYTHON_WTX.map((name) => `wtx_transfer_${side}.${name}`)),
  get_lnurl: ['lnurl'],
  error: ['name', 'message', 'code', 'status'],
};

/** Source: github.com/lnpay/lnpay-php, tests/RequestTest.php: the properties that it reads of the decoded objects. */
export const PHP_READS = { create: ['id', 'user_label'], wallets: ['user_label'] } as const;

/** Lists the keys that a response lacks. */
export function missingKeys(keys: readonly string[], value: Json): string[] {
  return keys.filter((path) => {
    let at: Json = value;
    for (const name of path.split('.')) {
      if (!isObject(at) || !Object.hasOwn(at, name)) return true;
      at = at[name];
    }
    return false;
  });
}
