import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';
import './sheet.css';

export interface SheetProps {
  readonly title: string;
  /** Called by Escape, the close button and a click beside the sheet. */
  readonly onClose: () => void;
  /** Stays at the bottom of the sheet. */
  readonly footer?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A dialog over the screen, on a phone over all of it. The browser moves the focus in, and back when the sheet closes. */
export function Sheet({ title, onClose, footer, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    import('./keyboard-inset.ts').then(
      (file) => file.followKeyboard(),
      // Without the file, the sheet works, but the keyboard of a phone may cover its end.
      () => undefined,
    );
    // The first field, not the close button.
    element?.querySelector<HTMLElement>('.sheet-content :is(input, select, textarea, button, a)')?.focus();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog.
    <dialog
      class="sheet"
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="sheet-inside">
        <header>
          <h2 id={id}>
            <bdi>{title}</bdi>
          </h2>
          <Button kind="quiet" icon="close" label={t.common.close} class="push" onClick={onClose} />
        </header>
        <div class="sheet-content">{children}</div>
        {footer !== undefined && <footer>{footer}</footer>}
      </div>
    </dialog>
  );
}
