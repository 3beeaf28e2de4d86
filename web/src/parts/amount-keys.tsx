import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { amounts as texts } from '../texts/en-amounts.ts';
import { editAmount } from './edit-amount.ts';
import { PHONE, useMedia } from './use-is-phone.ts';
import './amount-keys.css';
import './keyboard-inset.css';

/** The width of a phone, and a finger instead of a mouse. */
const TOUCH_PHONE = `${PHONE} and (pointer: coarse)`;

/** Fields in which people type. They need the keyboard of the device, or keys of their own. */
const TYPED = ':is(input:not([type="checkbox"], [type="radio"], [type="file"]), select, textarea)';

/** A tap aimed at a key can still arrive this long after the keys are gone. */
const LATE_MS = 600;

/** The time at which the screen was painted after the keys were removed. */
let goneAt = -Infinity;

/**
 * Returns whether a click was aimed at an element that the button replaced: a key, or the button of a double click. Buttons that move money
 * ignore such clicks. Keyboard clicks, whose `detail` is 0, always count.
 */
export function isLateClick({ timeStamp, detail }: MouseEvent): boolean {
  return detail > 1 || (detail > 0 && timeStamp - goneAt < LATE_MS);
}

export interface AmountKeys {
  /** For the field. A phone with keys here must not open its own keyboard as well. */
  readonly input: {
    readonly inputMode: 'none' | 'decimal' | 'numeric';
    readonly onFocus: (event: { currentTarget: HTMLInputElement }) => void;
  };
  /** To be rendered after the field: the keys at the bottom of the sheet, or nothing. */
  readonly keys: ComponentChildren;
}

/**
 * Gives a field for an amount in a sheet its own keys on phones with a touch screen, so that the keyboard of the device does not push the form away.
 * They stay until another field has the focus: a button below them would move otherwise while it is tapped. `mark` is the decimal mark of
 * an amount that may have decimals.
 */
export function useAmountKeys(mark?: string): AmountKeys {
  const isTouchPhone = useMedia(TOUCH_PHONE);
  const [field, setField] = useState<HTMLInputElement>();
  useEffect(() => {
    if (!field) return;
    const onFocusIn = ({ target }: FocusEvent) => {
      if (target === field || !(target instanceof Element) || !target.matches(TYPED)) return;
      // Keep an input that has already replaced this field.
      setField((current) => (current === field ? undefined : current));
    };
    document.addEventListener('focusin', onFocusIn);
    return () => document.removeEventListener('focusin', onFocusIn);
  }, [field]);
  return {
    input: {
      inputMode: isTouchPhone ? 'none' : mark === undefined ? 'numeric' : 'decimal',
      onFocus: ({ currentTarget }) => setField(currentTarget),
    },
    keys: isTouchPhone && field?.isConnected && <Keys field={field} last={mark ?? '000'} />,
  };
}

/** Phones order their keys from left to right in every language. */
function Keys({ field, last }: { readonly field: HTMLInputElement; readonly last: string }) {
  // On a small phone, the keys cover the place where the field was.
  useEffect(() => field.scrollIntoView({ block: 'nearest' }), [field]);
  useEffect(() => noteEnd, []);
  const [written, setWritten] = useState<string>();
  const press = (event: MouseEvent, key?: string) => {
    edit(field, key);
    setWritten(field.value);
    // The focus of a keyboard or a screen reader stays on the key.
    if (event.detail > 0) field.focus({ preventScroll: true });
  };
  return (
    <fieldset class="amount-keys" dir="ltr" aria-label={texts.keys} onPointerDown={keepFocus} onMouseDown={keepFocus}>
      {['1', '2', '3', '4', '5', '6', '7', '8', '9', last, '0'].map((text) => (
        <button type="button" tabIndex={-1} key={text} onClick={(event) => press(event, text)}>
          {text}
        </button>
      ))}
      <button type="button" tabIndex={-1} aria-label={texts.remove} onClick={(event) => press(event)}>
        <svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
          <path d="M9 5h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H9l-6-7zM11 9.5l5 5M16 9.5l-5 5" />
        </svg>
      </button>
      <span class="visually-hidden" role="status">
        {written === '' ? texts.empty : written}
      </span>
    </fieldset>
  );
}

function noteEnd(): void {
  goneAt = Infinity;
  requestAnimationFrame(() =>
    setTimeout(() => {
      goneAt = performance.now();
    }),
  );
}

/** The field keeps the focus, and its caret. */
function keepFocus(event: Event): void {
  event.preventDefault();
}

function edit(field: HTMLInputElement, key: string | undefined): void {
  const { value, selectionStart, selectionEnd } = field;
  const { text, caret } = editAmount({ text: value, start: selectionStart ?? value.length, end: selectionEnd ?? value.length }, key);
  field.value = text;
  field.setSelectionRange(caret, caret);
  const kind = key === undefined ? { inputType: 'deleteContentBackward' } : { inputType: 'insertText', data: key };
  field.dispatchEvent(new InputEvent('input', { bubbles: true, ...kind }));
}
