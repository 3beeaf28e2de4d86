import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('pages of large items', (service) => {
  it('returns lists to other clients after some have disconnected before theirs was ready', async () => {
    const { client } = service;
    const { id } = await client.wallet(1);
    const { hostname, port } = new URL(client.url);
    const head = `GET /v1/wallet/${id}/transactions?per-page=100 HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${client.secretKey}\r\n\r\n`;
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      // There are several on each connection, so that some wait for their turn when it closes.
      await new Promise((resolve) => socket.write(head.repeat(5), resolve));
      socket.resetAndDestroy();
    }
    expect((await client.request('GET', `/v1/wallet/${id}/transactions?per-page=100`, { key: client.secretKey })).body).toHaveLength(1);
  });
});
