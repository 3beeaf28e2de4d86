import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type Contact } from '../../api/client.ts';
import { useContacts } from '../../api/contacts.ts';
import { useCurrentWallet } from '../../frame/recent-wallet.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { showToast } from '../../parts/toast.tsx';
import { phone } from '../../texts/en-phone.ts';
import { handToSend } from '../send/pasted-text.ts';
import './contacts.css';

/** `/contacts`: the receivers that were stored. A tap opens Send. */
export function ContactsScreen() {
  const [, navigate] = useLocation();
  const wallet = useCurrentWallet();
  const contacts = useContacts();
  const [edited, setEdited] = useState<Contact | 'new'>();
  const remove = useAction(async ({ id, name, ln_address }: Contact) => {
    await api.contacts.delete(id);
    contacts.reload();
    const undo = () => void api.contacts.add({ name, ln_address }).then(contacts.reload, contacts.reload);
    showToast(phone.contacts.removed(name), { action: phone.contacts.undo, onAction: undo });
  });
  function send({ ln_address }: Contact) {
    handToSend(ln_address);
    navigate(wallet === undefined ? '/send' : `/wallets/${wallet}/send`);
  }
  return (
    <>
      <PageHead
        title={phone.contacts.title}
        actions={
          <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
            {phone.contacts.add}
          </Button>
        }
      />
      {remove.error !== undefined && <Note tone="error">{remove.error}</Note>}
      <Card>
        <Loaded resource={contacts}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="users" title={phone.contacts.emptyTitle}>
                {phone.contacts.empty}
              </Empty>
            ) : (
              <ul class="contacts">
                {list.map((contact) => (
                  <li key={contact.id}>
                    <button type="button" class="contact" onClick={() => send(contact)}>
                      <bdi>{contact.name}</bdi>
                      <bdi class="small secondary">{contact.ln_address}</bdi>
                    </button>
                    <Button kind="quiet" icon="settings" label={phone.contacts.change(contact.name)} onClick={() => setEdited(contact)} />
                    <Button kind="quiet" icon="close" label={phone.contacts.remove(contact.name)} onClick={() => remove.run(contact)} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {edited && (
        <ContactSheet
          contact={edited === 'new' ? undefined : edited}
          onClose={() => {
            setEdited(undefined);
            contacts.reload();
          }}
        />
      )}
    </>
  );
}

function ContactSheet({ contact, onClose }: { contact: Contact | undefined; onClose: () => void }) {
  const [name, setName] = useState(contact?.name ?? '');
  const [address, setAddress] = useState(contact?.ln_address ?? '');
  const save = useAction(async () => {
    const fields = { name, ln_address: address };
    await (contact ? api.contacts.update(contact.id, fields) : api.contacts.add(fields));
    onClose();
  });
  return (
    <Sheet title={contact ? phone.contacts.change(contact.name) : phone.contacts.add} onClose={onClose}>
      <Form onSubmit={save.run}>
        <TextField label={phone.contacts.name} value={name} onValue={setName} maxLength={100} autocomplete="off" />
        <TextField label={phone.contacts.address} value={address} onValue={setAddress} autocomplete="off" spellcheck={false} />
        {save.error !== undefined && <Note tone="error">{save.error}</Note>}
        <Button type="submit" kind="primary" size="big" disabled={save.isBusy || name.trim() === '' || address.trim() === ''}>
          {phone.contacts.save}
        </Button>
      </Form>
    </Sheet>
  );
}
