import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type PayLink } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { enteredLinkText } from '../../parts/link-text.ts';
import { Note } from '../../parts/note.tsx';
import { parseSats } from '../../parts/sats-field.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';

export interface PayLinkSheetProps {
  /** The link to change; without it a new one is created. */
  readonly link?: PayLink;
  /** Closes the sheet, too. */
  readonly onSaved: (link: PayLink) => void;
  readonly onClose: () => void;
}

const NEW = { walletId: '', name: '', label: '', text: '', min: '1', max: '1000000', comment: '255', nostr: '' };

/** Creates or changes a pay link. A second click repeats the request and creates no second link. */
export function PayLinkSheet({ link, onSaved, onClose }: PayLinkSheetProps) {
  const [draft, setDraft] = useState(() => (link ? draftOf(link) : NEW));
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    onSaved(await idempotent((options) => save(draft, link, options)));
  });
  const set = (name: keyof typeof NEW) => (value: string) => setDraft({ ...draft, [name]: value });
  const errorOf = (text: string) => (parseSats(text) === undefined ? t.keys.wholeSats : undefined);
  const areAmountsValid = errorOf(draft.min) === undefined && errorOf(draft.max) === undefined;

  return (
    <Sheet title={link ? t.links.editTitle : t.links.newPayLink} onClose={onClose}>
      <Form onSubmit={() => areAmountsValid && run()}>
        {!link && <WalletSelect label={t.links.into} value={draft.walletId} onValue={set('walletId')} />}
        <TextField
          label={t.links.addressName}
          hint={t.links.addressHint(location.host)}
          maxLength={64}
          autocapitalize="none"
          spellcheck={false}
          value={draft.name}
          onValue={set('name')}
        />
        <TextField label={t.links.text} hint={t.links.textHint} maxLength={600} value={draft.text} onValue={set('text')} />
        <TextField label={t.links.label} hint={t.links.labelHint} maxLength={200} value={draft.label} onValue={set('label')} />
        <div class="columns two">
          <TextField label={t.links.min} inputMode="numeric" error={errorOf(draft.min)} value={draft.min} onValue={set('min')} />
          <TextField label={t.links.max} inputMode="numeric" error={errorOf(draft.max)} value={draft.max} onValue={set('max')} />
        </div>
        <TextField
          label={t.links.commentLength}
          hint={t.links.commentHint}
          type="number"
          min={0}
          max={1000}
          value={draft.comment}
          onValue={set('comment')}
        />
        <TextField
          label={t.links.nostrKey}
          hint={t.links.nostrKeyHint}
          maxLength={100}
          autocapitalize="none"
          spellcheck={false}
          value={draft.nostr}
          onValue={set('nostr')}
        />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy || (!link && draft.walletId === '')}>
          {link ? t.links.save : t.links.create}
        </Button>
      </Form>
    </Sheet>
  );
}

function draftOf(link: PayLink): typeof NEW {
  return {
    walletId: link.wallet_id,
    name: link.lnurlp_identifier ?? '',
    label: link.user_label,
    text: link.lnurlp_short_desc,
    min: String(Math.ceil(link.lnurlp_minSendable_msat / 1000)),
    max: String(Math.floor(link.lnurlp_maxSendable_msat / 1000)),
    comment: String(link.lnurlp_commentAllowed),
    nostr: link.nostr_pubkey ?? '',
  };
}

function save(draft: typeof NEW, link: PayLink | undefined, options: { idempotencyKey: string }): Promise<PayLink> {
  const body = {
    lnurlp_minSendable_msat: (parseSats(draft.min) ?? 1) * 1000,
    lnurlp_maxSendable_msat: (parseSats(draft.max) ?? 1) * 1000,
    lnurlp_commentAllowed: Number(draft.comment),
    lnurlp_short_desc: enteredLinkText(draft.text),
    user_label: draft.label,
    // An empty name removes the address from the link, and an empty key its Nostr identifier.
    ...((link || draft.name !== '') && { lnurlp_identifier: draft.name }),
    ...((link || draft.nostr !== '') && { nostr_pubkey: draft.nostr.trim() }),
  };
  if (link) return api.payLinks.update(link.id, { ...body });
  return api.payLinks.create(draft.walletId, { ...body }, options);
}
