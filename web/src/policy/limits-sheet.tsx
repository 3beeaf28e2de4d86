import { useState } from 'preact/hooks';
import { useAction } from '../api/action.ts';
import type { Limits } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { useIdempotent } from '../api/use-idempotent.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Note } from '../parts/note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { policy } from '../texts/en-policy.ts';
import type { PolicySheetProps } from './fees-sheet.tsx';
import { LIMIT_NAMES, type LimitName } from './limit-names.ts';
import { countText, isBlank, msatText, parseCount, parseMsat } from './msat-text.ts';
import { apiOf, type Owner, useLimits } from './owner.ts';

const texts = policy.limits;

/** Sets the limits of an account or a wallet. */
export function LimitsSheet({ owner, onChanged, onClose }: PolicySheetProps) {
  const limits = useLimits(owner);
  return (
    <Sheet title={texts.sheetTitle(owner.name)} onClose={onClose}>
      <Loaded resource={limits}>
        {(loaded) => (
          <LimitsForm
            owner={owner}
            limits={loaded}
            onChanged={() => {
              limits.reload();
              onChanged();
              onClose();
            }}
          />
        )}
      </Loaded>
    </Sheet>
  );
}

type Draft = Readonly<Record<LimitName, string>>;

function LimitsForm({ owner, limits, onChanged }: { readonly owner: Owner; readonly limits: Limits; readonly onChanged: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(limits));
  const [reason, setReason] = useState('');
  // Only the changes of operators are recorded.
  const isOperator = useSession().account.role === 'operator';
  const idempotent = useIdempotent();
  const isValid = LIMIT_NAMES.every((name) => errorOf(name, draft[name]) === undefined);
  const { run, isBusy, error } = useAction(async () => {
    await idempotent((options) => apiOf(owner).setLimits(owner.id, { ...bodyOf(draft), reason: reason.trim() }, options));
    onChanged();
  });
  return (
    <Form onSubmit={() => isValid && run()}>
      <p class="secondary">
        {texts.sheetText} {owner.kind === 'account' && texts.accountText}
      </p>
      {LIMIT_NAMES.map((name) => (
        <TextField
          key={name}
          label={isAmount(name) ? texts.inSats(texts.names[name]) : texts.names[name]}
          hint={texts.hints[name]}
          error={errorOf(name, draft[name])}
          inputMode={isAmount(name) ? 'decimal' : 'numeric'}
          autocomplete="off"
          value={draft[name]}
          onValue={(value) => setDraft({ ...draft, [name]: value })}
        />
      ))}
      {isOperator && <TextField label={texts.reason} hint={texts.reasonHint} maxLength={500} value={reason} onValue={setReason} />}
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind="primary" size="big" type="submit" disabled={isBusy || !isValid}>
        {texts.save}
      </Button>
    </Form>
  );
}

function isAmount(name: LimitName): boolean {
  return name.endsWith('_msat');
}

function draftOf(limits: Limits): Draft {
  const text = (name: LimitName) => (isAmount(name) ? msatText(limits[name]) : countText(limits[name]));
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, text(name)])) as Draft;
}

function parse(name: LimitName, text: string): number | undefined {
  return isAmount(name) ? parseMsat(text) : parseCount(text);
}

function errorOf(name: LimitName, text: string): string | undefined {
  if (isBlank(text) || parse(name, text) !== undefined) return undefined;
  return isAmount(name) ? policy.amountError : texts.countError;
}

/** Returns the limits of the request. A limit that is absent is removed. */
function bodyOf(draft: Draft): Partial<Record<LimitName, number>> {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const value = parse(name, draft[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
