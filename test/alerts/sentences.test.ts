import { describe, expect, it } from 'vitest';
import { ALERT_KINDS } from '../../src/core/alerts/alert-kinds.ts';
import { sentenceOf } from '../../web/src/screens/operator/alert-sentence.ts';
import { alertTexts } from '../../web/src/texts/en-alerts.ts';

const DETAILS = {
  wallet_id: 'wal_0Vbb5cCQ00rR7qUdPz1vW9',
  wallet_label: 'Vending machine 3',
  ln_node_id: 'lnd_0Vbb4aAQ00pP5oSbNx9tU7',
  node_alias: 'hub',
  lntx_id: 'lntx_0Vbb5eQk00aT9sWfRb3xY1',
  account_id: 'acc_0Vbb4dBQ00qQ6pTcOy0uV8',
  amount_msat: 1_234_567_890,
  charged_msat: 2_110_000,
  in_flight_msat: 5_000_000,
  count: 3,
  since: 1000,
  name: 'example.com',
  status: 'failed',
  reason: 'a reason of the node',
};
const NOTHING = Object.fromEntries(Object.keys(DETAILS).map((name) => [name, null])) as unknown as typeof DETAILS;
const HOUR_LATER_MS = 1000 * (1000 + 3600 + 29 * 60);
const alertOf = (kind: string, details = DETAILS) => ({ kind, subject: details.lntx_id ?? 'service', details, raised_at: 1000 });

describe('the sentence about an alert', () => {
  it('exists for every kind that the service raises, and for no other', () => {
    expect(Object.keys(alertTexts.sentences).sort()).toEqual(Object.keys(ALERT_KINDS).sort());
  });

  it.each(Object.keys(ALERT_KINDS))('of the kind %s is a sentence with an action, without ids, msat and log punctuation', (kind) => {
    const { title, text, action } = sentenceOf(alertOf(kind), HOUR_LATER_MS);
    expect(title).toMatch(/^\S.*\.$/);
    const shown = `${title} ${text}`;
    expect(shown).not.toMatch(/undefined|null|NaN|\bmsat\b|\d,\d|wal_|lnd_|lntx_| {2}/);
    expect(action.href).toMatch(/^\/(operator|accounts|connections|webhooks)/);
    expect(action.label).toMatch(/^[A-Z]/);
  });

  it.each(Object.keys(ALERT_KINDS))('of the kind %s stays a sentence for an alert of an earlier version, which has no details', (kind) => {
    const { title, text } = sentenceOf(alertOf(kind, NOTHING), HOUR_LATER_MS);
    expect(title).toMatch(/^\S.*\.$/);
    expect(`${title} ${text}`).not.toMatch(/undefined|null|NaN/);
  });

  it('has whole sats with thin spaces, the label of the wallet and how long it has lasted', () => {
    const { title, text, action } = sentenceOf(alertOf('payment_stuck'), HOUR_LATER_MS);
    expect(title).toBe('A payment has been pending for 1 h 29 min.');
    expect(text).toContain('1\u202f234\u202f567 sats of Vending machine 3.');
    expect(action).toEqual({ href: '/operator/payments/lntx_0Vbb5eQk00aT9sWfRb3xY1', label: 'Show payment' });
  });

  it('falls back to the ids of what has no name', () => {
    const details = { ...DETAILS, wallet_label: null, node_alias: null } as unknown as typeof DETAILS;
    expect(sentenceOf(alertOf('over_limit', details), HOUR_LATER_MS).title).toContain('wal_0Vbb5cCQ00rR7qUdPz1vW9');
  });

  it('says of an unknown kind that the service has raised an alert', () => {
    expect(sentenceOf(alertOf('a_later_kind'), HOUR_LATER_MS).title).toBe('The service has raised an alert.');
  });
});
