import type { Database } from '../db/database.ts';
import { openList } from '../db/list.ts';
import { type RowWrite, writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { List } from '../kernel/list.ts';
import { Refusal, requireFound } from '../kernel/refusal.ts';
import { requireGuards } from '../ledger/ledger.ts';
import { findAccount } from './accounts.sql.ts';
import { type OperatorOrder, operatorGuards } from './directory.ts';
import * as sql from './notes.sql.ts';
import { recordIn, requesterOfKey } from './operator-records.ts';

/** A note of an operator about an account. Its owner never sees it. */
export type Note = sql.NoteRow;

/** In characters. */
export const MAX_NOTE = 2000;

export type Notes = ReturnType<typeof createNotes>;

/** The notes of operators about accounts. Adding and deleting one is recorded, without its text: deleted texts must be gone. */
export function createNotes({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  return {
    list: (accountId: string): List<Note> => openList(database, { statements: sql.listNotes, filters: [accountId], prefix: 'note' }),

    /** @throws Refusal `not_found` */
    find: async (accountId: string, id: string): Promise<Note> => requireFound(await database.first(sql.findNote, accountId, id)),

    /** `extraRows`: rows in the same transaction, from the id of the note. @throws Refusal `unauthorized`, `forbidden`, `not_found`, `validation_failed` */
    add: (
      accountId: string,
      text: string,
      { by, origin, reason }: OperatorOrder,
      extraRows: (id: string) => readonly RowWrite[] = () => [],
    ): Promise<Note> =>
      database.transaction(async (tx) => {
        const length = Array.from(text).length;
        if (length < 1 || length > MAX_NOTE) throw new Refusal('validation_failed', `\`note\` must have 1 to ${MAX_NOTE} characters.`);
        await requireGuards(tx, operatorGuards(by));
        requireFound(await tx.first(findAccount, accountId));
        const note = { id: `note_${newId(clock.nowMs())}`, account_id: accountId, note: text, author: by.accountId };
        const now = unixSeconds(clock);
        await tx.run(sql.insertNote, note.id, accountId, text, note.author, now);
        await recordIn(tx, { ...requesterOfKey(by, origin, reason), kind: 'add_note', subject: note.id, accountId }, now);
        await writeRows(tx, extraRows(note.id));
        return { ...note, created_at: now };
      }),

    /** Deletes a note. @throws Refusal `unauthorized`, `forbidden`, `not_found` */
    remove: (accountId: string, id: string, { by, origin, reason }: OperatorOrder, extraRows: readonly RowWrite[] = []): Promise<void> =>
      database.transaction(async (tx) => {
        await requireGuards(tx, operatorGuards(by));
        if ((await tx.run(sql.deleteNote, accountId, id)) === 0) throw new Refusal('not_found');
        const requester = requesterOfKey(by, origin, reason);
        await recordIn(tx, { ...requester, kind: 'delete_note', subject: id, accountId }, unixSeconds(clock));
        await writeRows(tx, extraRows);
      }),
  };
}
