import { useState } from 'preact/hooks';
import { useAction } from '../api/action.ts';
import type { FeeSchedule } from '../api/client.ts';
import { useIdempotent } from '../api/use-idempotent.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmSheet } from '../parts/confirm-sheet.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Note } from '../parts/note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { policy } from '../texts/en-policy.ts';
import {
  draftOf,
  errorsOf,
  FEE_DIRECTIONS,
  type FeeDirection,
  type RuleDraft,
  type RuleField,
  ruleInWords,
  ruleOfDraft,
} from './fee-rule.ts';
import { apiOf, type Owner, useFees } from './owner.ts';
import './policy.css';

export interface PolicySheetProps {
  readonly owner: Owner;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const texts = policy.fees;

/** Sets or removes the fees of an account or a wallet. */
export function FeesSheet({ owner, onChanged, onClose }: PolicySheetProps) {
  const fees = useFees(owner);
  const [isRemoving, setIsRemoving] = useState(false);
  if (isRemoving)
    return (
      <ConfirmSheet
        title={texts.removeTitle(owner.name)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={async (options) => {
          await apiOf(owner).removeFees(owner.id, {}, options);
          fees.reload();
          onChanged();
        }}
        onClose={onClose}
      />
    );
  return (
    <Sheet title={texts.sheetTitle(owner.name)} onClose={onClose}>
      <Loaded resource={fees}>
        {(schedule) => (
          <FeesForm
            owner={owner}
            schedule={schedule}
            onRemove={() => setIsRemoving(true)}
            onChanged={() => {
              fees.reload();
              onChanged();
              onClose();
            }}
          />
        )}
      </Loaded>
    </Sheet>
  );
}

interface FeesFormProps {
  readonly owner: Owner;
  readonly schedule: FeeSchedule;
  readonly onRemove: () => void;
  readonly onChanged: () => void;
}

type Drafts = Readonly<Record<FeeDirection, RuleDraft>>;

function FeesForm({ owner, schedule, onRemove, onChanged }: FeesFormProps) {
  const [drafts, setDrafts] = useState<Drafts>(() => ({
    ln_out: draftOf(schedule.ln_out),
    ln_in: draftOf(schedule.ln_in),
    internal: draftOf(schedule.internal),
    link: draftOf(schedule.link),
  }));
  const [reason, setReason] = useState('');
  const idempotent = useIdempotent();
  const isValid = FEE_DIRECTIONS.every((direction) => Object.keys(errorsOf(drafts[direction])).length === 0);
  const { run, isBusy, error } = useAction(async () => {
    const body = { rules: rulesOf(drafts), reason: reason.trim() };
    await idempotent((options) => apiOf(owner).setFees(owner.id, body, options));
    onChanged();
  });
  const isOwn = schedule.owner_id === owner.id;
  return (
    <Form onSubmit={() => isValid && run()}>
      <p class="secondary">{texts.sheetText}</p>
      {schedule.id !== null && !isOwn && <Note>{texts.ofAccount}</Note>}
      {FEE_DIRECTIONS.map((direction) => (
        <RuleFields
          key={direction}
          direction={direction}
          draft={drafts[direction]}
          onDraft={(draft) => setDrafts({ ...drafts, [direction]: draft })}
        />
      ))}
      <TextField label={texts.reason} hint={texts.reasonHint} maxLength={500} value={reason} onValue={setReason} />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind="primary" size="big" type="submit" disabled={isBusy || !isValid}>
        {texts.save}
      </Button>
      {isOwn && (
        <Button kind="danger" onClick={onRemove}>
          {texts.remove}
        </Button>
      )}
    </Form>
  );
}

/** Returns the rules of the request. A direction that is free is absent. */
function rulesOf(drafts: Drafts) {
  const rules = FEE_DIRECTIONS.flatMap((direction) => {
    const rule = ruleOfDraft(drafts[direction]);
    if (rule === null) return [];
    const { max_msat, ...others } = rule;
    return [[direction, { ...others, ...(max_msat !== null && { max_msat }) }] as const];
  });
  return Object.fromEntries(rules);
}

const NUMBERS: readonly RuleField[] = ['percent', 'flat', 'minimum', 'maximum', 'free'];

interface RuleFieldsProps {
  readonly direction: FeeDirection;
  readonly draft: RuleDraft;
  readonly onDraft: (draft: RuleDraft) => void;
}

function RuleFields({ direction, draft, onDraft }: RuleFieldsProps) {
  const errors = errorsOf(draft);
  return (
    <fieldset class="fee-rule">
      <legend>{texts.directions[direction]}</legend>
      <p class="small secondary">{texts.payers[direction]}</p>
      <div class="fee-fields">
        {NUMBERS.map((field) => (
          <TextField
            key={field}
            label={texts[field]}
            error={errors[field]}
            inputMode="decimal"
            autocomplete="off"
            value={draft[field]}
            onValue={(value) => onDraft({ ...draft, [field]: value })}
          />
        ))}
      </div>
      {Object.keys(errors).length === 0 && (
        <p class="small">
          {texts.result} {ruleInWords(ruleOfDraft(draft))}
        </p>
      )}
    </fieldset>
  );
}
