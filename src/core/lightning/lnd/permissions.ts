import type { CredentialReport } from '../credential-report.ts';

/** The calls that the service makes, as LND names them, and the general permission that includes each. */
const CALLS: Readonly<Record<string, string>> = {
  '/lnrpc.Lightning/GetInfo': 'info read',
  '/lnrpc.Lightning/AddInvoice': 'invoices write',
  '/lnrpc.Lightning/LookupInvoice': 'invoices read',
  '/lnrpc.Lightning/ListInvoices': 'invoices read',
  '/lnrpc.Lightning/ListPayments': 'offchain read',
  '/lnrpc.Lightning/LookupHtlcResolution': 'offchain read',
  '/lnrpc.Lightning/SubscribeInvoices': 'invoices read',
  '/lnrpc.Lightning/ChannelBalance': 'offchain read',
  '/lnrpc.Lightning/ListChannels': 'offchain read',
  '/lnrpc.Lightning/PendingChannels': 'offchain read',
  '/lnrpc.Lightning/QueryRoutes': 'info read',
  '/invoicesrpc.Invoices/CancelInvoice': 'invoices write',
  '/routerrpc.Router/SendPaymentV2': 'offchain write',
  '/routerrpc.Router/TrackPaymentV2': 'offchain read',
  '/routerrpc.Router/TrackPayments': 'offchain read',
  '/routerrpc.Router/SubscribeHtlcEvents': 'offchain read',
};
/** Only to recognize a channel that was closed between two reconciliations. */
const CLOSED_CALL = '/lnrpc.Lightning/ClosedChannels';
/** Only for keysends that the node holds until the service decides, and for hold invoices. */
const SETTLE_CALL = '/invoicesrpc.Invoices/SettleInvoice';
/** Only for hold invoices, which the service does not offer without it. */
const HOLD_CALL = '/invoicesrpc.Invoices/AddHoldInvoice';

const OPTIONAL_CALLS: readonly string[] = [CLOSED_CALL, HOLD_CALL, SETTLE_CALL];

/** What general permissions permit that the service never does. */
const EXCESSIVE: Readonly<Record<string, string>> = {
  'onchain write': 'send on-chain payments',
  'offchain write': 'open and close channels',
  'macaroon generate': 'create other macaroons',
  'signer generate': 'sign with the keys of the node',
};

/**
 * Compares the permissions in a macaroon with the calls of the service. The general permission that pays also opens and closes channels, so
 * only a macaroon of single calls has no more than what is needed.
 * @throws Error for bytes that are not a macaroon of LND.
 */
export function reportPermissions(macaroon: Buffer, holdsKeysends: boolean): CredentialReport {
  const needed = { ...CALLS, ...(holdsKeysends && { [SETTLE_CALL]: 'invoices write' }) };
  const { single, general } = permissionsIn(macaroon);
  const isPermitted = ([call, permission]: readonly [string, string]) => single.includes(call) || general.includes(permission);
  const others = single.filter((call) => !(call in CALLS) && !OPTIONAL_CALLS.includes(call));
  return {
    missing: Object.entries(needed).flatMap((call) => (isPermitted(call) ? [] : [call[0]])),
    excessive: [
      ...Object.entries(EXCESSIVE).flatMap(([permission, verb]) => (general.includes(permission) ? [verb] : [])),
      ...(others.length > 0 ? [`call ${others.join(', ')}`] : []),
    ],
    command: `lncli bakemacaroon --save_to satchel.macaroon ${[...Object.keys(CALLS), ...OPTIONAL_CALLS]
      .map((call) => `uri:${call}`)
      .join(' ')}`,
  };
}

/** Returns whether a macaroon permits hold invoices. A macaroon that cannot be read permits none. */
export function permitsHoldInvoices(macaroon: Buffer): boolean {
  try {
    const { single, general } = permissionsIn(macaroon);
    return [HOLD_CALL, SETTLE_CALL].every((call) => single.includes(call) || general.includes('invoices write'));
  } catch {
    return false;
  }
}

/** Returns the calls that a macaroon names, and its general permissions. */
function permissionsIn(macaroon: Buffer): { single: string[]; general: string[] } {
  const permitted = readPermissions(macaroon);
  return {
    single: permitted.flatMap(({ entity, actions }) => (entity === 'uri' ? actions : [])),
    general: permitted.flatMap(({ entity, actions }) => actions.map((action) => `${entity} ${action}`)),
  };
}

interface Permission {
  readonly entity: string;
  readonly actions: readonly string[];
}

const MACAROON_VERSION = 2;
const IDENTIFIER = 2;
/** The version of LND's identifiers, a protobuf message follows. Source: the package `bakery` that LND uses. */
const BAKERY_VERSION = 3;
const OPERATIONS = 3;

/** Source: the format of macaroons, version 2, and `MacaroonId` of LND's bakery: nonce, storage id, operations. */
function readPermissions(macaroon: Buffer): Permission[] {
  if (macaroon[0] !== MACAROON_VERSION) throw new Error('the macaroon is not of LND');
  for (const { key, data } of fieldsOf(macaroon.subarray(1))) if (key === IDENTIFIER) return readOperations(data);
  throw new Error('the macaroon has no identifier');
}

function readOperations(identifier: Buffer): Permission[] {
  if (identifier[0] !== BAKERY_VERSION) throw new Error('the macaroon has an unknown version of identifier');
  return readMessage(identifier.subarray(1))
    .filter(({ number }) => number === OPERATIONS)
    .map(({ data }) => {
      const fields = readMessage(data);
      const texts = (wanted: number) => fields.filter(({ number }) => number === wanted).map((field) => field.data.toString());
      return { entity: texts(1)[0] ?? '', actions: texts(2) };
    });
}

/** Reads a protobuf message. LND's identifiers have length-delimited fields only. */
function readMessage(message: Buffer): { number: number; data: Buffer }[] {
  return Array.from(fieldsOf(message), ({ key, data }) => {
    if ((key & 7) !== 2) throw new Error('the macaroon has an unknown identifier');
    return { number: key >> 3, data };
  });
}

/** Reads keys and lengths, each with so many bytes of data. In a macaroon, the key is the type of the field; in protobuf, it has a wire type, too. */
function* fieldsOf(bytes: Buffer): Generator<{ key: number; data: Buffer }> {
  for (let rest = bytes; rest.length > 0; ) {
    const key = readVarint(rest);
    const length = readVarint(rest.subarray(key.size));
    const start = key.size + length.size;
    const end = start + length.value;
    if (end > rest.length) throw new Error('the macaroon is cut off');
    yield { key: key.value, data: rest.subarray(start, end) };
    rest = rest.subarray(end);
  }
}

/** Numbers here are lengths and small types, so three bytes are enough. */
function readVarint(bytes: Buffer): { value: number; size: number } {
  let value = 0;
  for (let size = 1; size <= 3; size++) {
    const byte = bytes[size - 1];
    if (byte === undefined) break;
    value += (byte & 0x7f) << (7 * (size - 1));
    if (byte < 0x80) return { value, size };
  }
  throw new Error('the macaroon is cut off');
}
