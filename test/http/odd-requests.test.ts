import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('requests that no ordinary client sends', (service) => {
  /** Sends exactly these lines, and reads until the service ends the connection. */
  async function send(...lines: string[]) {
    const { hostname, port } = new URL(service.client.url);
    const socket = connect(Number(port), hostname);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { head, status: Number(head.split(' ')[1]), body: JSON.parse(body) };
  }
  const malformed = (message: RegExp) => ({
    status: 400,
    body: { status: 400, type: 'malformed_body', message: expect.stringMatching(message), request_id: expect.any(String) },
  });

  it('W8: rejects HTTP/1.1 without Host with the error object, and accepts HTTP/1.0 without it', async () => {
    expect(await send('GET /v1/wallets HTTP/1.1', 'Connection: close')).toMatchObject(malformed(/Host/));
    expect(await send('GET /healthz HTTP/1.0')).toMatchObject({ status: 200 });
  });

  it('rejects two Idempotency-Keys, which would otherwise be one key that differs from both', async () => {
    const wallet = await service.client.wallet();
    const keys = ['Idempotency-Key: one', 'Idempotency-Key: two'];
    const head = ['Host: x', 'Connection: close', `X-Api-Key: ${service.client.secretKey}`, 'Content-Length: 0', ...keys];
    const sent = await send(`POST /v1/wallet/${wallet.id}/invoice HTTP/1.1`, ...head);
    expect(sent).toMatchObject({ status: 400, body: { type: 'validation_failed', message: 'Idempotency-Key must be sent once.' } });
  });

  it('W8: rejects CONNECT with the error object, also when its client disconnects early', async () => {
    for (const target of ['example.com:443', '/v1/wallets']) {
      expect(await send(`CONNECT ${target} HTTP/1.1`, 'Host: x')).toMatchObject(malformed(/proxy/));
    }
    const { hostname, port } = new URL(service.client.url);
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.resetAndDestroy());
      await new Promise((resolve) => socket.once('close', resolve));
    }
    expect((await service.client.request('GET', '/healthz')).status).toBe(200);
  });

  it.each(['TRACE', 'QUERY', 'PROPFIND', 'PURGE', 'M-SEARCH'])('W8: returns 405 with the methods of the address for %s', async (method) => {
    const sent = (path: string) =>
      send(`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', `X-Api-Key: ${service.client.secretKey}`);
    for (const [path, allow] of [
      ['/v1/wallets', 'GET'],
      ['/v1/wallet/wal_1/withdraw?x=1', 'POST'],
      ['/v1/wallet/wal_1', 'PATCH'],
    ] as const) {
      const response = await sent(path);
      expect(response).toMatchObject({
        status: 405,
        body: { status: 405, type: 'method_not_allowed', message: expect.stringContaining(allow) },
      });
      expect(response.head).toMatch(new RegExp(`^allow: .*${allow}`, 'im'));
      expect(response.head).toMatch(/^access-control-allow-origin: \*/im);
    }
    expect(await sent('/v1/nothing')).toMatchObject({ status: 404, body: { type: 'not_found' } });
  });

  it('W8: returns 405 for an unknown method, and 400 for a request that is not HTTP', async () => {
    expect(await send('FETCH /v1/wallets HTTP/1.1', 'Host: x')).toMatchObject({ status: 405, body: { type: 'method_not_allowed' } });
    expect(await send('nonsense')).toMatchObject(malformed(/cannot be read/));
  });

  it('W8: returns 413 with the error object, readable by pages of any origin, for too long a request line', async () => {
    for (const length of [17_000, 40_000, 200_000]) {
      const response = await send(`GET /v1/wallets?x=${'x'.repeat(length)} HTTP/1.1`, 'Host: x');
      expect(response).toMatchObject({ status: 413, body: { type: 'payload_too_large', message: expect.stringContaining('16 kB') } });
      expect(response.head).toMatch(/^access-control-allow-origin: \*/im);
      expect(response.head).toMatch(/^content-type: application\/json/im);
    }
  });

  it.each(['CONNECT a:1 HTTP/1.1\r\nHost: x', 'nonsense'])(
    'never returns the response of a payment to bytes that follow it on its connection: %s',
    async (next) => {
      const { client, net } = service;
      const { id, admin } = await client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 1000, script: { hold: true } });
      const body = JSON.stringify({ payment_request: paymentRequest });
      const { hostname, port } = new URL(client.url);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      const head = `POST /v1/wallet/${id}/withdraw HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${admin}\r\nContent-Type: application/json`;
      socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      const held = () => client.get(`/v1/wallet/${id}`);
      await expect.poll(async () => (await held()).pending_msat).toBeGreaterThan(0);
      socket.write(`${next}\r\n\r\n`);
      const response = await text(socket);
      expect(response).toBe('');
      await expect.poll(() => net.outside.resolveHold(paymentHash, 'settle') ?? 'settled').toBe('settled');
      await expect.poll(async () => (await held()).balance).toBe(999);
    },
  );

  it('ignores an unknown expectation', async () => {
    const request = (expectation: string) =>
      send(
        'POST /v1/wallet HTTP/1.1',
        'Host: x',
        'Connection: close',
        `X-Api-Key: ${service.client.secretKey}`,
        `Expect: ${expectation}`,
        'Content-Type: application/json',
        'Content-Length: 18',
        '',
        '{"user_label":"x"}',
      );
    expect(await request('200-maybe')).toMatchObject({ status: 201, body: { user_label: 'x' } });
  });

  it.each(['wallet', 'user/wallet'])('W8: rejects an unreadable address of a public LNURL route with an LNURL error (%s)', async (base) => {
    for (const address of [`/v1/${base}/%zz/lnurl-process?ott=1`, `/v1/${base}/%ff/lnurl-process`]) {
      const response = await service.client.request('GET', address);
      expect(response).toMatchObject({ status: 200, body: { status: 'ERROR', reason: expect.any(String) } });
    }
    expect((await service.client.request('GET', `/v1/${base}/%zz/invoice?x=/lnurl-process`)).body).toMatchObject({
      type: 'malformed_body',
    });
  });
});
