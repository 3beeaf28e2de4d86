import { listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';

export type NoteRow = { id: string; account_id: string; note: string; author: string; created_at: number };

const NOTE = 'SELECT id, account_id, note, author, created_at FROM account_note';

export const insertNote = statement(
  'account_note_insert',
  'INSERT INTO account_note (id, account_id, note, author, created_at) VALUES ($1, $2, $3, $4, $5)',
);

export const findNote = statement<NoteRow>('account_note_find', `${NOTE} WHERE account_id = $1 AND id = $2`);

export const deleteNote = statement('account_note_delete', 'DELETE FROM account_note WHERE account_id = $1 AND id = $2');

export const listNotes = listStatements<NoteRow>('account_note_list', {
  select: NOTE,
  table: 'account_note',
  where: 'account_id = $1',
  filters: 1,
});
