import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const AT_ONCE = 4;

/** What operators change, each with the n-th value that is set, and how the audit log shows it. */
interface Change {
  readonly what: string;
  readonly kind: string;
  readonly method: 'PUT' | 'PATCH';
  path(ids: { readonly account: string; readonly wallet: string }): string;
  body(n: number): Json;
  /** The field of the entry, and its text after the n-th value was set. */
  readonly field: string;
  text(n: number): string;
}

const rule = (flat_msat: number) => ({ ln_out: { flat_msat } });
const storedRule = (flatMsat: number) => JSON.stringify({ flatMsat, proportionalMillionths: 0, minMsat: 0, freeBelowMsat: 0 });

const CHANGES: readonly Change[] = [
  ...(['account', 'wallet'] as const).flatMap((owner): Change[] => [
    {
      what: `the limits of one ${owner}`,
      kind: 'set_limits',
      method: 'PUT',
      path: (ids) => `/v1/${owner}s/${ids[owner]}/limits`,
      body: (n) => ({ max_payment_msat: n }),
      field: 'max_payment_msat',
      text: String,
    },
    {
      what: `the fees of one ${owner}`,
      kind: 'set_fees',
      method: 'PUT',
      path: (ids) => `/v1/${owner}s/${ids[owner]}/fees`,
      body: (n) => ({ rules: rule(n) }),
      field: 'ln_out',
      text: storedRule,
    },
  ]),
  {
    what: 'an account',
    kind: 'change_account',
    method: 'PATCH',
    path: ({ account }) => `/v1/accounts/${account}`,
    body: (n) => ({ max_wallets: 100 + n }),
    field: 'max_wallets',
    text: (n) => String(100 + n),
  },
  {
    what: 'the fiat rate',
    kind: 'set_fiat_rate',
    method: 'PUT',
    path: () => '/v1/operator/fiat-rate',
    body: (n) => ({ currency: 'EUR', per_btc: String(n) }),
    field: 'per_btc',
    text: String,
  },
];

onFakeNode('the audit log', ({ client, neighbour, problems }) => {
  const send = (method: 'PUT' | 'PATCH', path: string, json: Json) => client.request(method, path, { key: client.secretKey, json });
  const entries = async (kind: string): Promise<Json[]> => client.get(`/v1/operator/actions?kind=${kind}&per-page=100`);

  it.each(CHANGES)(
    'has the value before each of several concurrent changes of $what',
    async ({ kind, method, path, body, field, text }) => {
      const ids = { account: (await neighbour.get('/v1/account')).id, wallet: (await neighbour.wallet()).id };
      const known = new Set((await entries(kind)).map(({ id }) => id));
      const values = Array.from({ length: AT_ONCE }, (_, n) => n + 1);
      const sent = await Promise.all(values.map((n) => send(method, path(ids), { ...body(n), reason: `change ${n}` })));
      expect(sent.map(({ status }) => status)).toEqual(values.map(() => 200));

      const added = (await entries(kind)).filter(({ id }) => !known.has(id));
      const recorded = added.map(({ reason, changes }) => ({ reason, ...changes.find((one: Json) => one.field === field) }));
      // Each value is once what a change has set. All but the last are once what a change has replaced.
      expect(recorded.map(({ after, reason }) => [after, reason]).toSorted()).toEqual(
        values.map((n) => [text(n), `change ${n}`]).toSorted(),
      );
      const replaced = recorded.map(({ before }) => before);
      expect(new Set(replaced).size, JSON.stringify(recorded)).toBe(AT_ONCE);
      const initial = replaced.filter((before) => !values.map(text).includes(before));
      expect(initial).toHaveLength(1);
      // Followed from the initial value, the changes are one chain.
      const next = new Map(recorded.map(({ before, after }) => [before, after]));
      let length = 0;
      for (let value = initial[0]; next.has(value); value = next.get(value)) length += 1;
      expect(length).toBe(AT_ONCE);
      expect(await problems()).toEqual([]);
    },
  );
});
