import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { recordSpans } from '../support/spans.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { FAST, LOCAL } from '../webhooks/timing.ts';

const spans = recordSpans();

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };

function inTrace(traceId: string, name: string): ReadableSpan[] {
  return spans.filter((span) => span.spanContext().traceId === traceId && span.name === name);
}

onFakeNode(
  'a trace',
  ({ client, net }, dialect) => {
    const receiver = startReceiver();
    // Each dialect has a trace of its own.
    const trace = dialect === 'sqlite' ? TRACE : TRACE.replace('0af', '1af');
    const traced = { traceparent: headers.traceparent.replace(TRACE, trace) };

    it('has the request, its postings, its calls to the node and the deliveries of its events', async () => {
      const wallet = await client.wallet(1000);
      await client.post('/v1/webhooks', { url: receiver.url() });
      const { paymentRequest } = net.outside.invoice({ amountMsat: 5000 });
      const json = { payment_request: paymentRequest };
      const paid = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: wallet.admin, json, headers: traced });
      expect(paid.status).toBe(201);
      await expect.poll(() => inTrace(trace, 'webhook delivery').length).toBe(1);
      const [request] = inTrace(trace, 'POST /v1/wallet/:key/withdraw');
      expect(request?.attributes).toEqual({
        'http.request.method': 'POST',
        'http.route': '/v1/wallet/:key/withdraw',
        'http.response.status_code': 201,
      });
      expect(request?.parentSpanContext).toMatchObject({ spanId: CALLER, isRemote: true });
      const own = request?.spanContext().spanId;
      const [hold, settlement] = inTrace(trace, 'posting');
      expect([hold, settlement].map((span) => span?.parentSpanContext?.spanId)).toEqual([own, own]);
      const [pay] = inTrace(trace, 'node pay');
      expect(pay?.parentSpanContext?.spanId).toBe(own);
      const { ln_node_id } = await client.get(`/v1/wallet/${wallet.id}`);
      expect(pay?.attributes).toEqual({ 'satchel.node_id': ln_node_id });
      const batch = spans.find(({ links }) => links.some(({ context }) => context.spanId === hold?.spanContext().spanId));
      expect(batch).toMatchObject({ name: 'ledger batch', attributes: { 'satchel.postings': 1 }, parentSpanContext: undefined });
      const [delivery] = inTrace(trace, 'webhook delivery');
      expect(delivery?.attributes).toMatchObject({ 'satchel.event_type': 'wallet_send', 'http.response.status_code': 200 });
      const received = receiver.received.find(({ event }) => event.event.name === 'wallet_send');
      expect(received?.headers.traceparent).toBe(`00-${trace}-${delivery?.spanContext().spanId}-01`);
    });

    it('has the status of a failed request, and of an error only its class', async () => {
      const before = spans.length;
      const secret = 'wak_thisIsNoKeyOfAWallet00';
      await client.request('GET', `/v1/wallet/${secret}?access-token=${secret}`, { headers: { ...traced, tracestate: `a=${secret}` } });
      await expect.poll(() => spans.length).toBeGreaterThan(before);
      const found = inTrace(trace, 'GET /v1/wallet/:key');
      expect(found).toMatchObject([{ attributes: { 'http.response.status_code': 401 } }]);
      expect(JSON.stringify(spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]))).not.toContain(secret);
    });
  },
  LOCAL,
  FAST,
);
