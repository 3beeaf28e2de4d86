import type { Database, Tx } from '../db/database.ts';
import { openList } from '../db/list.ts';
import { type RowWrite, writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { List } from '../kernel/list.ts';
import { readPaymentText } from '../kernel/payment-text.ts';
import { Refusal, requireFound } from '../kernel/refusal.ts';
import { changeOwnAccount, type Key } from './accounts.ts';
import * as sql from './contacts.sql.ts';

/** A receiver that the people of an account have stored. */
export type Contact = sql.ContactRow;

/** Per account. */
export const MAX_CONTACTS = 1000;
/** In characters. */
export const MAX_CONTACT_NAME = 100;

const ADDRESS = /^[a-z0-9._+-]{1,64}@[a-z0-9.-]{1,253}(?::\d{1,5})?$/;

export interface ContactFields {
  readonly name: string;
  readonly ln_address: string;
}

export type Contacts = ReturnType<typeof createContacts>;

/** The contacts of accounts. No two contacts of an account have the same address. */
export function createContacts({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  const find = async (accountId: string, id: string): Promise<Contact> =>
    requireFound(await database.first(sql.findContact, accountId, id));
  return {
    list: (accountId: string): List<Contact> => openList(database, { statements: sql.listContacts, filters: [accountId], prefix: 'cont' }),

    find,

    /** `extraRows`: rows in the same transaction, from the id of the contact. @throws Refusal `unauthorized`, `validation_failed` */
    add: (by: Key, fields: ContactFields, extraRows: (id: string) => readonly RowWrite[] = () => []): Promise<Contact> =>
      changeOwnAccount(database, by, async (tx) => {
        const { name, ln_address } = checked(fields);
        const count = (await tx.first(sql.countContacts, by.accountId))?.n ?? 0;
        if (count >= MAX_CONTACTS)
          throw new Refusal('validation_failed', `The account has ${MAX_CONTACTS} contacts, the most it can have. Delete some first.`);
        await requireUnused(tx, by.accountId, ln_address);
        const contact = { id: `cont_${newId(clock.nowMs())}`, account_id: by.accountId, name, ln_address, created_at: unixSeconds(clock) };
        await tx.run(sql.insertContact, contact.id, contact.account_id, name, ln_address, contact.created_at);
        await writeRows(tx, extraRows(contact.id));
        return contact;
      }),

    /** @throws Refusal `unauthorized`, `not_found`, `validation_failed` */
    change: (by: Key, id: string, changes: Partial<ContactFields>): Promise<Contact> =>
      changeOwnAccount(database, by, async (tx) => {
        const before = requireFound(await tx.first(sql.findContact, by.accountId, id));
        const { name, ln_address } = checked({ ...before, ...changes });
        if (ln_address !== before.ln_address) await requireUnused(tx, by.accountId, ln_address);
        await tx.run(sql.updateContact, by.accountId, id, name, ln_address);
        return { ...before, name, ln_address };
      }),

    /** Deletes a contact and returns what it was. @throws Refusal `unauthorized`, `not_found` */
    remove: (by: Key, id: string): Promise<Contact> =>
      changeOwnAccount(database, by, async (tx) => {
        const contact = requireFound(await tx.first(sql.findContact, by.accountId, id));
        await tx.run(sql.deleteContact, by.accountId, id);
        return contact;
      }),
  };
}

/** Returns the fields as they are stored: without spaces around them, the address in lower case. */
function checked({ name, ln_address }: ContactFields): ContactFields {
  const read = readPaymentText(ln_address);
  const fields = { name: name.trim(), ln_address: read.kind === 'address' ? read.text : '' };
  const length = Array.from(fields.name).length;
  if (length < 1 || length > MAX_CONTACT_NAME)
    throw new Refusal('validation_failed', `\`name\` must have 1 to ${MAX_CONTACT_NAME} characters.`);
  if (!ADDRESS.test(fields.ln_address))
    throw new Refusal('validation_failed', '`ln_address` must be a Lightning address, such as `mara@example.com`.');
  return fields;
}

async function requireUnused(tx: Tx, accountId: string, address: string): Promise<void> {
  const other = await tx.first(sql.findContactByAddress, accountId, address);
  if (other) throw new Refusal('validation_failed', `\`ln_address\` is already that of the contact “${other.name}”.`);
}
