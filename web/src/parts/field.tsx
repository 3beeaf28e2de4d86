import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icon.tsx';
import './field.css';

interface FieldLook {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Why the value is not accepted. */
  readonly error?: string | undefined;
}

type Control = { readonly id: string; readonly 'aria-invalid': boolean; readonly 'aria-describedby': string | undefined };

/** A label, a control, and below it the hint or the error. */
export function Field({ label, hint, error, children }: FieldLook & { readonly children: (control: Control) => ComponentChildren }) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': note === undefined ? undefined : `${id}-note` })}
      {error !== undefined ? (
        <span class="error" id={`${id}-note`}>
          <Icon name="stop" size={15} />
          <bdi>{error}</bdi>
        </span>
      ) : (
        hint !== undefined && (
          <span class="hint" id={`${id}-note`}>
            {hint}
          </span>
        )
      )}
    </div>
  );
}

type InputProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'value' | 'label' | 'onInput'>;

export interface TextFieldProps extends FieldLook, InputProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function TextField({ label, hint, error, value, onValue, class: added, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          type="text"
          {...input}
          {...control}
          class={['input', added].filter(Boolean).join(' ')}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface SelectFieldProps extends FieldLook {
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onValue: (value: string) => void;
  readonly disabled?: boolean;
}

export function SelectField({ label, hint, error, value, options, onValue, disabled }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select {...control} class="input" value={value} disabled={disabled} onChange={(event) => onValue(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export interface TextAreaFieldProps
  extends FieldLook,
    Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'label' | 'onInput'> {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function TextAreaField({ label, hint, error, value, onValue, class: added, ...area }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          rows={3}
          {...area}
          {...control}
          class={['input', added].filter(Boolean).join(' ')}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface CheckFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function CheckField({ label, hint, isChecked, onChange }: CheckFieldProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <span class="sub">{hint}</span>}
      </span>
    </label>
  );
}
