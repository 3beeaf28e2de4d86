import { listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';

export type ContactRow = { id: string; account_id: string; name: string; ln_address: string; created_at: number };

const CONTACT = 'SELECT id, account_id, name, ln_address, created_at FROM contact';

export const insertContact = statement(
  'contact_insert',
  'INSERT INTO contact (id, account_id, name, ln_address, created_at) VALUES ($1, $2, $3, $4, $5)',
);

export const findContact = statement<ContactRow>('contact_find', `${CONTACT} WHERE account_id = $1 AND id = $2`);

export const findContactByAddress = statement<ContactRow>('contact_find_address', `${CONTACT} WHERE account_id = $1 AND ln_address = $2`);

export const countContacts = statement<{ n: number }>('contact_count', 'SELECT count(*) AS n FROM contact WHERE account_id = $1');

export const updateContact = statement('contact_update', 'UPDATE contact SET name = $3, ln_address = $4 WHERE account_id = $1 AND id = $2');

export const deleteContact = statement('contact_delete', 'DELETE FROM contact WHERE account_id = $1 AND id = $2');

export const listContacts = listStatements<ContactRow>('contact_list', {
  select: CONTACT,
  table: 'contact',
  where: 'account_id = $1',
  filters: 1,
});
