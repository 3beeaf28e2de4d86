import { get } from 'node:http';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

const TOKEN = 'a-token-for-metrics';

/** Sends a request with another Host, which `fetch` does not allow. */
function getWithHost(url: string, host: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { ...headers, host } }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}

/** Labels have no order. */
function sorted(series: string): string {
  const [name = '', labels = ''] = series.replace('}', '').split('{');
  return `${name}{${labels.split(',').toSorted().join(',')}}`;
}

onFakeNode('metrics on the loopback address', (service) => {
  const { net } = service;
  const metrics = async () => (await service.client.request('GET', '/metrics')).text;
  const seriesOf = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => sorted(line.slice(0, line.lastIndexOf(' '))) === sorted(series))
        ?.split(' ')
        .at(-1),
    );

  it('count responses by route and status, and contain no key, wallet or address', async () => {
    const wallet = await service.client.wallet(1000);
    for (let i = 0; i < 3; i++) await service.client.request('GET', `/v1/wallet/${wallet.read}`, { key: wallet.read });
    await service.client.request('GET', `/v1/wallet/${wallet.read}?access-token=nobody`);
    await service.client.request('GET', `/${wallet.admin}/nothing`);
    const text = await metrics();
    expect(seriesOf(text, 'satchel_http_requests_total{method="GET",route="/v1/wallet/:key",status="200"}')).toBe(3);
    expect(seriesOf(text, 'satchel_http_requests_total{method="GET",route="/v1/wallet/:key",status="401"}')).toBe(1);
    expect(seriesOf(text, 'satchel_http_requests_total{method="GET",route="unknown",status="404"}')).toBe(1);
    expect(seriesOf(text, 'satchel_http_request_seconds_bucket{method="GET",route="/v1/wallet/:key",le="+Inf"}')).toBe(4);
    expect(seriesOf(text, 'satchel_http_request_seconds_count{method="GET",route="/v1/wallet/:key"}')).toBe(4);
    expect(text).not.toMatch(/(wak|sak|pak|wal|wtx|lntx)[a-z]*_[0-9A-Za-z]{8}|127\.0\.0\.1/);
  });

  it('have the Prometheus format on every line, and buckets that never shrink', async () => {
    const lines = (await metrics()).split('\n').filter((line) => line !== '');
    for (const line of lines) {
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z0-9_]+ .+|[a-z0-9_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? (Nan|-?[0-9.e+-]+))$/);
    }
    const buckets = lines.filter((line) => line.startsWith('satchel_http_request_seconds_bucket{') && line.includes('route="/metrics"'));
    const counts = buckets.map((line) => Number(line.split(' ')[1]));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });

  it('keep the names that dashboards use', async () => {
    const text = await metrics();
    for (const [name, type] of [
      ['satchel_http_requests_total', 'counter'],
      ['satchel_http_request_seconds', 'histogram'],
      ['satchel_ledger_waiting_postings', 'gauge'],
      ['satchel_ledger_batches_total', 'counter'],
      ['satchel_ledger_postings_total', 'counter'],
      ['satchel_webhook_attempts_total', 'counter'],
      ['satchel_webhook_deliveries_waiting', 'gauge'],
      ['satchel_webhook_oldest_waiting_seconds', 'gauge'],
      ['satchel_webhooks_disabled', 'gauge'],
      ['satchel_payments_pending', 'gauge'],
      ['satchel_alerts_open', 'gauge'],
      ['satchel_node_up', 'gauge'],
      ['satchel_node_position_msat', 'gauge'],
      ['satchel_event_loop_delay_seconds', 'gauge'],
      ['process_resident_memory_bytes', 'gauge'],
      ['nodejs_heap_used_bytes', 'gauge'],
      ['process_cpu_seconds_total', 'counter'],
      ['process_start_time_seconds', 'gauge'],
    ])
      expect(text).toContain(`# TYPE ${name} ${type}\n`);
  });

  it('report pending payments, alerts, the state of the node and of the process', async () => {
    const wallet = await service.client.wallet(1000);
    const pending = seriesOf(await metrics(), 'satchel_payments_pending');
    const { paymentRequest } = net.outside.invoice({ amountMsat: 1000, script: { hold: true } });
    await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: wallet.admin,
      json: { payment_request: paymentRequest },
      headers: { prefer: 'respond-async' },
    });
    const text = await metrics();
    expect(seriesOf(text, 'satchel_payments_pending')).toBe(pending + 1);
    const { ln_node_id: node } = await service.client.get(`/v1/wallet/${wallet.id}`);
    expect(seriesOf(text, `satchel_node_up{node="${node}"}`)).toBe(1);
    expect(seriesOf(text, 'satchel_ledger_postings_total')).toBeGreaterThan(2);
    expect(seriesOf(text, 'satchel_ledger_batches_total')).toBeGreaterThan(2);
    expect(seriesOf(text, 'satchel_ledger_waiting_postings')).toBe(0);
    for (const bytes of ['process_resident_memory_bytes', 'nodejs_heap_used_bytes', 'nodejs_heap_size_used_bytes'])
      expect(seriesOf(text, bytes), bytes).toBeGreaterThan(1e6);
    expect(seriesOf(text, 'process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(seriesOf(text, 'process_open_fds')).toBeGreaterThan(0);
    expect(Math.abs(seriesOf(text, 'process_start_time_seconds') - performance.timeOrigin / 1000)).toBeLessThan(60);
    expect(seriesOf(text, 'satchel_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
    net.tell({ type: 'payment', paymentId: 'lntx_0000000000000000000000', outcome: { state: 'failed', reason: 'NO_ROUTE' } });
    await expect.poll(async () => seriesOf(await metrics(), 'satchel_alerts_open{kind="payment_contradicted"}')).toBe(1);
  });

  it('are not found through a proxy', async () => {
    for (const headers of [{ 'x-forwarded-for': '203.0.113.1' }, { forwarded: 'for=203.0.113.1' }]) {
      expect((await service.client.request('GET', '/metrics', { headers })).status).toBe(404);
    }
  });
});

onFakeNode('metrics without a token', (service) => {
  const request = (host: string, headers: Record<string, string> = {}) => getWithHost(`${service.client.url}/metrics`, host, headers);

  it('require a loopback host name', async () => {
    for (const host of ['localhost', 'localhost:9090', '127.0.0.1:4021', '127.1.2.3', '[::1]', '[::1]:4021', 'LOCALHOST'])
      expect(await request(host), host).toBe(200);
    for (const host of ['wallet.example.com', 'localhost.example.com', '127.0.0.1.example.com', '10.0.0.1', '[::2]', 'localhost@x'])
      expect(await request(host), host).toBe(404);
  });
});

for (const settings of [
  { TRUST_PROXY: '127.0.0.1' },
  { TRUST_PROXY: '1' },
  { PUBLIC_URL: 'https://wallet.example.com' },
  { PUBLIC_URL: 'http://10.0.0.1' },
]) {
  onFakeNode(
    `metrics without a token, with ${JSON.stringify(settings)}`,
    (service) => {
      it('are not found', async () => {
        expect(await service.client.request('GET', '/metrics')).toMatchObject({ status: 404 });
      });
    },
    settings,
  );
}

onFakeNode(
  'metrics with a token',
  (service) => {
    it('require the token, from any address', async () => {
      const request = (headers: Record<string, string>) => service.client.request('GET', '/metrics', { headers });
      expect((await request({ authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '203.0.113.1' })).status).toBe(200);
      for (const authorization of ['', 'Bearer x', `Bearer ${TOKEN}x`, TOKEN, `Bearer ${service.client.secretKey}`]) {
        expect((await request({ authorization })).status, authorization).toBe(401);
      }
      const withKey = await service.client.request('GET', '/metrics', { key: service.client.secretKey });
      expect(withKey).toMatchObject({ status: 401, body: { type: 'unauthorized', message: expect.stringContaining('METRICS_TOKEN') } });
    });
  },
  { METRICS_TOKEN: TOKEN },
);
