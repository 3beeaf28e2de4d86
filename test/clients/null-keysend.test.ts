import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode(
  'LEGACY_NULL_KEYSEND=true',
  (service) => {
    it('returns is_keysend null for invoices and payments, and 1 for keysends', async () => {
      const wallet = await service.client.wallet(1000);
      const made = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
      expect(made.is_keysend).toBeNull();
      expect((await service.client.get(`/v1/lntx/${made.id}`)).is_keysend).toBeNull();
      const { paymentRequest } = service.net.outside.invoice({ amountMsat: 10_000 });
      const paid = await service.client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
      expect(paid.lnTx.is_keysend).toBeNull();
      const { nodes } = await service.client.get('/playground');
      const [{ pubkey }] = nodes.filter(({ name }: { name: string }) => name === 'alice');
      const sent = await service.client.post(`/v1/wallet/${wallet.id}/keysend`, { dest_pubkey: pubkey, num_satoshis: 5 });
      expect(sent.lnTx.is_keysend).toBe(1);
      const rows = await service.client.get(`/v1/wallet/${wallet.id}/transactions`);
      const flags = rows.map(({ lnTx }: { lnTx: { is_keysend: unknown } | null }) => lnTx?.is_keysend);
      expect(flags).toEqual(expect.arrayContaining([1, null]));
      expect(flags).not.toContain(0);
    });
  },
  { LEGACY_NULL_KEYSEND: 'true' },
);
