import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the contacts of an account', ({ client, neighbour }) => {
  const request = (method: string, path: string, json?: object, key = client.secretKey) => client.request(method, path, { key, json });
  let names = 0;
  const newAddress = () => `friend${++names}@haven.example`;

  it('are added, renamed and deleted, and listed newest first', async () => {
    const first = await client.post('/v1/contacts', { name: ' Mara ', ln_address: ' Mara@Haven.Example ' });
    expect(first).toMatchObject({ name: 'Mara', ln_address: 'mara@haven.example' });
    const second = await client.post('/v1/contacts', { name: 'Jonas', ln_address: newAddress() });
    expect((await client.get('/v1/contacts?per-page=2')).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    const renamed = await request('PATCH', `/v1/contacts/${first.id}`, { name: 'Mara Lind' });
    expect(renamed.body).toEqual({ ...first, name: 'Mara Lind' });
    expect((await request('DELETE', `/v1/contacts/${first.id}`)).body).toEqual({ ...first, name: 'Mara Lind' });
    expect((await request('DELETE', `/v1/contacts/${first.id}`)).status).toBe(404);
    expect((await client.get('/v1/contacts')).map(({ id }: { id: string }) => id)).not.toContain(first.id);
  });

  it('have an address of their own, and a name', async () => {
    const ln_address = newAddress();
    await client.post('/v1/contacts', { name: 'Bakery', ln_address });
    const again = await request('POST', '/v1/contacts', { name: 'Other', ln_address: ln_address.toUpperCase() });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('already that of the contact “Bakery”')]);
    for (const fields of [
      { name: '  ', ln_address: newAddress() },
      { name: 'x'.repeat(101), ln_address: newAddress() },
      { name: 'Mara', ln_address: 'mara' },
      { name: 'Mara', ln_address: 'mara@haven.example/path' },
      { name: 'Mara' },
    ])
      expect([fields, (await request('POST', '/v1/contacts', fields)).status]).toEqual([fields, 400]);
  });

  it('belong to one account', async () => {
    const ln_address = newAddress();
    const { id } = await client.post('/v1/contacts', { name: 'Mine', ln_address });
    expect((await neighbour.get('/v1/contacts')).map((contact: { id: string }) => contact.id)).not.toContain(id);
    for (const [method, json] of [
      ['PATCH', { name: 'Stolen' }],
      ['DELETE', undefined],
    ] as const)
      expect((await request(method, `/v1/contacts/${id}`, json, neighbour.secretKey)).status).toBe(404);
    const copy = await neighbour.post('/v1/contacts', { name: 'Theirs', ln_address });
    expect(copy.id).not.toBe(id);
  });

  it('are added once for one Idempotency-Key', async () => {
    const json = { name: 'Once', ln_address: newAddress() };
    const headers = { 'idempotency-key': 'contacts-once' };
    const [one, two] = [
      await client.request('POST', '/v1/contacts', { key: client.secretKey, json, headers }),
      await client.request('POST', '/v1/contacts', { key: client.secretKey, json, headers }),
    ];
    expect(two.body).toEqual(one.body);
  });

  it('are at most 1,000', async () => {
    const [existing] = [(await neighbour.list('/v1/contacts')).length];
    for (let count = existing; count < 1000; count++)
      await neighbour.post('/v1/contacts', { name: `Contact ${count}`, ln_address: `full${count}@haven.example` });
    const refused = await request('POST', '/v1/contacts', { name: 'One more', ln_address: newAddress() }, neighbour.secretKey);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('1000 contacts, the most')]);
  });
});
