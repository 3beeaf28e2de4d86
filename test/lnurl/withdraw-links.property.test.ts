import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import type { PaymentScript } from '../../devnet/fake/script.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import {
  balancesOf,
  linkOf,
  MONTH,
  noonIn,
  permanentLink,
  readLink,
  revokeLink,
  setClock,
  untilNothingPending,
  visit,
} from './claiming-wallet.ts';
import { type Ending, LinkTwin, type TwinTerms } from './link-twin.ts';

reloadModulesAfterFile();
afterEach(() => {
  vi.restoreAllMocks();
});

type Step =
  | { readonly do: 'claim'; readonly amountMsat: number; readonly ending: Ending }
  | { readonly do: 'claim inside'; readonly amountMsat: number }
  | { readonly do: 'claims at once'; readonly amountMsat: number; readonly count: number }
  | { readonly do: 'end held'; readonly isPaid: boolean }
  | { readonly do: 'end late' }
  | { readonly do: 'next day' }
  | { readonly do: 'revoke' };

const amountMsat = fc.integer({ min: 1_000, max: 120_000 });
const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.record({ paid: fc.integer({ min: 0, max: 2_000 }) }),
  fc.constantFrom<Ending>('failed', 'held', 'late'),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('claim' as const), amountMsat, ending }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('claim inside' as const), amountMsat }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('claims at once' as const), amountMsat, count: fc.integer({ min: 2, max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end held' as const), isPaid: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end late' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('next day' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const) }) },
);

const terms: fc.Arbitrary<TwinTerms> = fc.record({
  maxMsat: fc.option(
    fc.integer({ min: 1, max: 100 }).map((sat) => sat * 1000),
    { nil: undefined },
  ),
  uses: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  dailyMsat: fc.option(fc.integer({ min: 1, max: 400_000 }), { nil: undefined, freq: 3 }),
});

const BALANCE_SAT = 100_000;
const LATE_MS = 60_000;

/** Plays the steps with a link of the service and with its twin. */
class Run {
  readonly #app: FakeNodeApp;
  readonly #wallet: TestWallet;
  readonly #friend: TestWallet;
  readonly #link: Json;
  readonly #twin: LinkTwin;
  readonly #held: string[] = [];

  private constructor(app: FakeNodeApp, wallet: TestWallet, friend: TestWallet, link: Json, twin: LinkTwin) {
    [this.#app, this.#wallet, this.#friend, this.#link, this.#twin] = [app, wallet, friend, link, twin];
  }

  static async begin(app: FakeNodeApp, { maxMsat, uses, dailyMsat }: TwinTerms): Promise<Run> {
    setClock(noonIn(1));
    const [wallet, friend] = [await app.client.wallet(BALANCE_SAT), await app.client.wallet()];
    // A link with uses always has a limit per claim; the balance is more than any claim.
    const twin = new LinkTwin({ maxMsat: maxMsat ?? (uses === undefined ? undefined : BALANCE_SAT * 1000), uses, dailyMsat });
    const fields = {
      fee_limit_msat: twin.feeLimitMsat,
      ...(maxMsat !== undefined && { num_satoshis: maxMsat / 1000 }),
      ...(dailyMsat !== undefined && { daily_limit_msat: dailyMsat }),
    };
    const link = await (uses === undefined ? permanentLink(app, wallet, fields) : linkOf(app, wallet, { ...fields, uses }));
    return new Run(app, wallet, friend, link, twin);
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const [index, one] of steps.entries()) {
      await this.#take(one);
      await expect.poll(() => this.#shown(), { message: `after step ${index}, ${JSON.stringify(one)}` }).toEqual(this.#twin.shown());
    }
    await this.#take({ do: 'end late' });
    await this.#take({ do: 'end held', isPaid: true });
    await expect.poll(() => this.#shown()).toEqual(this.#twin.shown());
    await untilNothingPending(this.#app, this.#wallet);
    expect((await balancesOf(this.#app, this.#wallet)).balance_msat).toBe(BALANCE_SAT * 1000 - this.#twin.spentMsat());
    expect(await this.#app.problems()).toEqual([]);
  }

  async #shown(): Promise<object> {
    const { uses, uses_left, claims, claimed_msat, pending_msat, ...rest } = await readLink(this.#app, this.#wallet, this.#link.id);
    const { daily_spent_msat, daily_pending_msat, statusType } = rest;
    const is_active = statusType.name === 'lnurl_active';
    return { uses, uses_left, claims, claimed_msat, pending_msat, daily_spent_msat, daily_pending_msat, is_active };
  }

  async #take(one: Step): Promise<void> {
    switch (one.do) {
      case 'claim':
        expect(await this.#claim(one.amountMsat, one.ending)).toBe(this.#twin.claim(one.amountMsat, one.ending));
        return;
      case 'claim inside':
        return this.#claimInside(Math.floor(one.amountMsat / 1000));
      case 'claims at once': {
        const claims = Array.from({ length: one.count }, () => this.#claim(one.amountMsat, 'held'));
        const accepted = (await Promise.all(claims)).filter(Boolean).length;
        const expected = Array.from({ length: one.count }, () => this.#twin.claim(one.amountMsat, 'held')).filter(Boolean).length;
        expect(accepted).toBe(expected);
        return;
      }
      case 'end held':
        for (const hash of this.#held.splice(0)) this.#app.net.outside.resolveHold(hash, one.isPaid ? 'settle' : 'cancel');
        return this.#twin.endHeld(one.isPaid);
      case 'end late':
        this.#app.time.advance(LATE_MS);
        return this.#twin.endLate();
      case 'next day':
        setClock(noonIn(1));
        return this.#twin.nextDay();
      case 'revoke':
        await revokeLink(this.#app, this.#wallet, this.#link.id);
        return this.#twin.revoke();
    }
  }

  /** Claims and waits until the payment has ended, unless it is held. */
  async #claim(amount: number, how: Ending): Promise<boolean> {
    const { paymentRequest, paymentHash } = this.#app.net.outside.invoice({
      amountMsat: amount,
      script: scriptOf(how),
      expirySeconds: MONTH,
    });
    const isAccepted = await this.#send(paymentRequest);
    if (isAccepted && how === 'held') {
      this.#held.push(paymentHash);
      const arrived = () => this.#app.net.outside.payments().some((one) => one.paymentHash === paymentHash && one.state === 'pending');
      await expect.poll(arrived).toBe(true);
    } else if (isAccepted) {
      await expect.poll(async () => (await this.#app.client.get(`/v1/lntx/${paymentHash}`)).status).not.toBe('pending');
    }
    return isAccepted;
  }

  async #claimInside(num_satoshis: number): Promise<void> {
    const { payment_request } = await this.#app.client.post(`/v1/wallet/${this.#friend.id}/invoice`, { num_satoshis, expiry: MONTH });
    expect(await this.#send(payment_request)).toBe(this.#twin.claim(num_satoshis * 1000, { paid: 0 }, true));
  }

  async #send(paymentRequest: string): Promise<boolean> {
    const { status } = await visit(`${this.#app.client.url}${new URL(this.#link.url).pathname}?ott=${this.#link.ott}&pr=${paymentRequest}`);
    return status === 'OK';
  }
}

function scriptOf(how: Ending): PaymentScript {
  if (typeof how === 'object') return { fee: how.paid };
  if (how === 'failed') return { fail: 'NO_ROUTE' };
  return how === 'held' ? { hold: true, fee: 0 } : { lateSuccessMs: LATE_MS, fee: 0 };
}

onFakeNode(
  'withdraw links with random claims',
  (app, dialect) => {
    it('R9: have the uses, the daily spending and the claimed amounts of a slow twin', async () => {
      await fc.assert(
        fc.asyncProperty(terms, fc.array(step, { minLength: 5, maxLength: 25 }), async (drawn, steps) => {
          try {
            await (await Run.begin(app, drawn)).play(steps);
          } finally {
            vi.restoreAllMocks();
          }
        }),
        { numRuns: Number(process.env.LINK_RUNS ?? (dialect === 'sqlite' ? 12 : 6)), endOnFailure: true },
      );
    });
  },
  { ADDRESS_RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_PER_SECOND: '100000' },
);
