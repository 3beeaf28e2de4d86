import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the readiness of the service', ({ client, execute, restart }) => {
  const readiness = () => client.request('GET', '/readyz');

  it('is that of a restored database until an operator accepts the restore', async () => {
    await expect.poll(readiness).toMatchObject({ status: 200, body: { status: 'ready', withdrawals: 'allowed' } });
    const restored = JSON.stringify({ backupCreatedAt: 1, restoredAt: 2, lastPosition: 0 });
    await execute("INSERT INTO service_fact (name, value) VALUES ('restored', $1)", restored);
    await restart();
    await expect.poll(readiness).toMatchObject({ status: 200, body: { status: 'restored', node: 'ok', withdrawals: 'restored' } });
    await execute("DELETE FROM service_fact WHERE name = 'restored'");
    await expect.poll(readiness).toMatchObject({ body: { status: 'ready', withdrawals: 'allowed' } });
  });
});
