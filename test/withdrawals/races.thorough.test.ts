import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client } from '../support/client.ts';

const ROUNDS = 5;
const SENDERS = 8;

onFakeNode('stops and resumptions under payments', (service, dialect) => {
  const { client, net, problems } = service;
  const change = async (at: Client, verb: 'stop' | 'resume') => {
    const json = { reason: 'a race' };
    const { status, text } = await at.request('POST', `/v1/operator/withdrawals/${verb}`, { key: client.secretKey, json });
    expect(status, text).toBe(200);
  };

  it('let no payment start after a stop has returned, on any instance', async () => {
    const clients = dialect === 'sqlite' ? [client] : [client, await service.another()];
    const wallet = await client.wallet(100_000);
    let number = 0;
    /** Which payments were requested after the stop and were not refused. */
    const late: number[] = [];
    let [accepted, refused] = [0, 0];
    const state: { stop: number | undefined; isOver: boolean } = { stop: undefined, isOver: false };
    async function send(at: Client): Promise<void> {
      while (!state.isOver) {
        const { stop } = state;
        number += 1;
        const { paymentRequest } = net.outside.invoice({ amountMsat: 1_000 + number, script: { fee: 0 } });
        const json = { payment_request: paymentRequest };
        const { status, body } = await at.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json });
        if (status === 403) {
          expect(body.type).toBe('withdrawals_stopped');
          refused += 1;
        } else {
          expect([201, 202]).toContain(status);
          accepted += 1;
          // The request was sent and answered during the same stop.
          if (stop !== undefined && state.stop === stop) late.push(number);
        }
      }
    }
    const sending = Array.from({ length: SENDERS }, (_, index) => send(clients[index % clients.length] ?? client));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = accepted;
      await expect.poll(() => accepted).toBeGreaterThan(before + 20);
      await change(clients[round % clients.length] ?? client, 'stop');
      state.stop = round;
      const refusedBefore = refused;
      await expect.poll(() => refused).toBeGreaterThan(refusedBefore + 20);
      state.stop = undefined;
      await change(clients[(round + 1) % clients.length] ?? client, 'resume');
    }
    state.isOver = true;
    await Promise.all(sending);
    expect(late).toEqual([]);
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
    const received = net.outside.payments().filter(({ state: outcome }) => outcome === 'succeeded');
    expect(received.filter(({ amountMsat }) => amountMsat > 1_000 && amountMsat <= 1_000 + number)).toHaveLength(accepted);
    expect(await problems()).toEqual([]);
  });
});
