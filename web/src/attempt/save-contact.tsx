import { Link } from 'wouter-preact';
import { useAction } from '../api/action.ts';
import { api } from '../api/client.ts';
import { useContacts } from '../api/contacts.ts';
import { Button } from '../parts/button.tsx';
import { Note } from '../parts/note.tsx';
import { phone } from '../texts/en-phone.ts';

/** Stores a Lightning address that was paid. The contact has the address's name, which can be changed. */
export function SaveContact({ address }: { address: string }) {
  const contacts = useContacts();
  const save = useAction(async () => {
    await api.contacts.add({ name: address.split('@')[0] ?? address, ln_address: address });
    contacts.reload();
  });
  const stored = contacts.data?.find(({ ln_address }) => ln_address === address.toLowerCase());
  if (save.error !== undefined) return <Note tone="error">{save.error}</Note>;
  if (stored)
    return (
      <Link class="small centered" href="/contacts">
        {phone.contacts.isStored(stored.name)}
      </Link>
    );
  return (
    <Button kind="quiet" icon="plus" disabled={contacts.data === undefined || save.isBusy} onClick={() => save.run()}>
      {phone.contacts.save}
    </Button>
  );
}
