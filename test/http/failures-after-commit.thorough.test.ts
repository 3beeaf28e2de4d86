import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { type BookingMark, bookingMark } from '../../src/core/kernel/booking-mark.ts';
import { METADATA_HASH, RemoteService } from '../lnurl/payee.ts';
import { changesSomething, operationsOf, servedApi, type Values, type Walked } from '../openapi/conformance/operations.ts';
import { send } from '../openapi/conformance/send.ts';
import { createWorld, UNAVAILABLE, type World } from '../openapi/conformance/world.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse } from '../support/client.ts';

/** Operations that change nothing in this world: it has no session of a browser, and its wallet login is not signed. */
const WITHOUT_COMMIT = new Set([...UNAVAILABLE, 'logOut', 'completeWalletLogin']);

const handlerStarts = channel('tracing:fastify.request.handler:start');

const payee = RemoteService.ofSuite();

const SETTINGS = {
  PAYMENT_WAIT_SECONDS: '0',
  PROOF_INTERVAL_SECONDS: '1',
  OUTBOUND_ALLOW: '127.0.0.1',
  // Nothing listens there: an account can choose a currency without a rate.
  FIAT_RATES: 'http://127.0.0.1:1/{currency}#rate',
  FIAT_CURRENCIES: 'EUR',
  ADDRESS_RATE_LIMIT_PER_SECOND: '0',
  UNLIMITED_LOGINS: 'true',
  // Nothing listens there, either. The test of a channel reports that.
  SMTP_URL: 'smtp://127.0.0.1:1',
  ALERT_EMAIL_FROM: 'satchel@example.com',
  ALERT_EMAIL_TO: 'operator@example.com',
};

onFakeNode(
  'a request that loses the database',
  (service) => {
    let world: World;
    let operations: Walked[];
    let reads: Walked[];

    beforeAll(async () => {
      const walk = operationsOf(await servedApi(service.client));
      world = await createWorld(service, walk);
      operations = walk.filter(changesSomething);
      reads = walk.filter((walked) => walked.method === 'GET' && !changesSomething(walked) && !walked.path.startsWith('/playground'));
    });
    afterEach(() => {
      service.connectionFailsAt = undefined;
    });

    /** Values of a valid request. The links of other services are not those of this one, whose own commits would count. */
    async function valuesOf(walked: Walked): Promise<Values> {
      const values = await world.goodValues(walked, walked.method === 'GET' ? 'most' : 'least');
      const link = { payLnurl: 'lnurlpay_encoded', pullLnurl: 'lnurl' }[walked.operation.operationId ?? ''];
      if (link === undefined) return values;
      const limits = { minWithdrawable: 1000, maxWithdrawable: 1_000_000 };
      payee.parameters = () =>
        link === 'lnurl'
          ? { tag: 'withdrawRequest', callback: `${payee.url}/cb`, k1: 'k1', defaultDescription: 'gift', ...limits }
          : payee.payParameters();
      payee.callback = (query) => {
        const order = { amountMsat: Number(query.get('amount')), descriptionHash: METADATA_HASH };
        return link === 'lnurl' ? { status: 'OK' } : { pr: service.net.outside.invoice(order).paymentRequest };
      };
      return { ...values, body: { ...values.body, [link]: payee.lnurl } };
    }

    /** Sends a request that loses the connection to the database before each statement for which `fails` returns true. */
    async function sendFailing(walked: Walked, values: Values, fails: (statementName: string, mark: BookingMark) => boolean) {
      // Those that the request causes come later.
      let own: FastifyRequest | undefined;
      const noteFirst = (message: unknown) => {
        own ??= (message as { readonly request: FastifyRequest }).request;
      };
      handlerStarts.subscribe(noteFirst);
      service.connectionFailsAt = (name) => {
        const mark = bookingMark();
        return mark !== undefined && mark === own?.booking && fails(name, mark);
      };
      const response = await send(world.client, walked, values, { key: world.client.secretKey });
      service.connectionFailsAt = undefined;
      handlerStarts.unsubscribe(noteFirst);
      return { response, isMarked: own?.booking?.mayHaveBooked === true };
    }

    it('P2: promises in no operation that nothing was booked when the first read after its commit fails', async () => {
      const problems: string[] = [];
      const withoutCommit: string[] = [];
      for (const walked of operations) {
        const { operationId = '' } = walked.operation;
        const values = await valuesOf(walked);
        let isCommitted = false;
        // The ledger commits postings outside of requests.
        const { response, isMarked } = await sendFailing(walked, values, (name, { mayHaveBooked }) => {
          if (isCommitted || mayHaveBooked) return true;
          isCommitted = name === 'COMMIT';
          return false;
        });
        if (!isCommitted && !isMarked) withoutCommit.push(operationId);
        else if (deniesBooking(response)) problems.push(`${operationId}: ${response.status} ${response.text}`);
      }
      expect(problems).toEqual([]);
      expect(withoutCommit.toSorted()).toEqual([...WITHOUT_COMMIT].toSorted());
    });

    it('commits nothing in any operation that its description calls a read', async () => {
      const problems: string[] = [];
      for (const walked of reads) {
        const values = await valuesOf(walked);
        const { response, isMarked } = await sendFailing(walked, values, () => false);
        if (response.status >= 400 || isMarked)
          problems.push(`${walked.operation.operationId}: ${response.status}, committed: ${isMarked}`);
      }
      expect(problems).toEqual([]);
      expect(reads.length).toBeGreaterThan(50);
    });

    it('P2: promises in no replay that nothing was booked when the first read after the lookup of its Idempotency-Key fails', async () => {
      const problems: string[] = [];
      const replayable = operations.filter(({ fields, operation }) => {
        const takesKey = fields.some(({ name }) => name === 'Idempotency-Key');
        return takesKey && !UNAVAILABLE.has(operation.operationId ?? '');
      });
      for (const walked of replayable) {
        const good = await valuesOf(walked);
        const values = { ...good, header: { ...good.header, 'Idempotency-Key': randomUUID() } };
        // Without an outcome, the next request would not be a replay.
        await expect.poll(async () => (await sendFailing(walked, values, () => false)).response.status).toBeLessThan(400);
        let isFound = false;
        const statements: string[] = [];
        const { response } = await sendFailing(walked, values, (name) => {
          statements.push(name);
          if (isFound) return true;
          isFound = name === 'idempotency_find';
          return false;
        });
        if (!isFound || deniesBooking(response))
          problems.push(`${walked.operation.operationId}: ${response.status} ${response.text} after ${statements.join(', ')}`);
      }
      expect(problems).toEqual([]);
      expect(replayable.length).toBeGreaterThan(20);
    });

    it('P2: promises in no repeated payment that nothing was booked when a read after the lookup of the first fails', async () => {
      const withdraw = operations.find(({ operation }) => operation.operationId === 'withdraw') as Walked;
      const values = await world.goodValues(withdraw, 'least');
      const { response: first } = await sendFailing(withdraw, values, () => false);
      // 202, or 201 if the payment succeeded before the response was sent.
      expect(first.status).toBeLessThan(300);
      let isFound = false;
      const { response } = await sendFailing(withdraw, values, (name) => {
        if (isFound) return true;
        isFound = name === 'payment_find_live';
        return false;
      });
      expect([isFound, response.status]).toEqual([true, 500]);
    });
  },
  SETTINGS,
);

/** Returns whether a response promises that nothing was booked: each 4xx and 503 does, and so does the reason of an LNURL error. */
function deniesBooking({ status, text }: HttpResponse): boolean {
  return (status >= 400 && status !== 500) || text.includes('The database cannot be used');
}
