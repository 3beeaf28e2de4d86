import { describe, expect, it } from 'vitest';
import { idRecords, type PaymentRecord } from '../../../src/core/lightning/lnd/payment-record.ts';
import { recording, recordings } from './recordings.ts';
import { scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();

/** Payments that stayed in flight after LND was killed, two restarts and 180 blocks. No channel has their HTLC. */
const STUCK = (recordings('05-kill') as unknown as { case: string; inFlight?: PaymentRecord[] }[]).find(({ case: name }) =>
  name.startsWith('payments stuck after kill -9'),
)?.inFlight?.[0] as PaymentRecord;
const CHANNEL = (recording('11-balances', 'ListChannels meanwhile').response.body as { channels: Record<string, unknown>[] }).channels[0];
const payment = { paymentId: 'stuck', paymentHash: STUCK.payment_hash };
const HASH_LOCK = Buffer.from(payment.paymentHash, 'hex').toString('base64');
/** The invoice expired an hour after it was created; the recordings are from 2026. */
const HEIGHT = 307;

interface Changes {
  readonly record?: Partial<PaymentRecord>;
  readonly info?: object;
  readonly htlcs?: readonly object[];
  readonly pending?: object;
}

async function evidenceFor({ record = {}, info = {}, htlcs = [], pending = {} }: Changes) {
  const { lnd, node } = await open();
  const message = { ...STUCK, first_hop_custom_records: idRecords('stuck'), ...record };
  const track = `GET /v2/router/track/${HASH_LOCK.replaceAll('+', '-').replaceAll('/', '_')}`;
  lnd.on(track, { messages: [{ result: message }], ending: 'silence' });
  const known = recording('11-balances', 'GetInfo').response.body as object;
  lnd.on('GET /v1/getinfo', { body: { ...known, block_height: HEIGHT, ...info } });
  lnd.on('GET /v1/channels', { body: { channels: [{ ...CHANNEL, pending_htlcs: htlcs }] } });
  const none = recording('11-balances', 'PendingChannels').response.body as object;
  lnd.on('GET /v1/channels/pending', { body: { ...none, ...pending } });
  const evidence = await node.collectEvidence?.(payment);
  if (!evidence) throw new Error('there is no evidence');
  return evidence;
}

describe('a payment that LND reports as in flight although no HTLC exists', () => {
  it('has failed if no channel has its HTLC or is being closed, and its time locks and its invoice have expired', async () => {
    const { items, provesFailure } = await evidenceFor({});
    expect(items.filter(({ fact }) => fact !== 'The invoice has expired.').every(({ holds }) => holds)).toBe(true);
    expect(items.map(({ fact }) => fact)).toContain('The invoice has expired.');
    expect(provesFailure).toBe(items.every(({ holds }) => holds));
  });

  const expired: Partial<PaymentRecord> = { payment_request: '' };

  it('and also a keysend, which has no invoice', async () => {
    expect((await evidenceFor({ record: expired })).provesFailure).toBe(true);
  });

  const cases: [string, Changes][] = [
    ['a channel has the HTLC', { htlcs: [{ incoming: false, amount: '20', hash_lock: HASH_LOCK }] }],
    ['a time lock has not passed', { info: { block_height: 290 } }],
    ['LND has not read the block chain', { info: { synced_to_chain: false } }],
    ['a channel is being closed', { pending: { waiting_close_channels: [{}] } }],
    ['a channel was closed by force', { pending: { pending_force_closing_channels: [{}] } }],
    ['no attempt was registered, because LND fails such a payment itself', { record: { ...expired, htlcs: [] } }],
    ['it has succeeded', { record: { ...expired, status: 'SUCCEEDED' } }],
    ['the record is that of another payment', { record: { ...expired, first_hop_custom_records: idRecords('another') } }],
  ];
  /** Money may leave later, but none has. */
  const MAY_STILL_LEAVE = ['a time lock has not passed', 'no attempt was registered, because LND fails such a payment itself'];
  it.each(cases)('but not if %s', async (name, changes) => {
    const { items, provesFailure, isWithoutHtlc } = await evidenceFor({ ...changes, record: { ...expired, ...changes.record } });
    expect(provesFailure).toBe(false);
    expect(isWithoutHtlc).toBe(MAY_STILL_LEAVE.includes(name));
    expect(items.filter(({ holds }) => !holds)).toHaveLength(1);
  });
});
