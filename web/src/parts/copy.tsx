import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Button, type ButtonProps } from './button.tsx';
import './copy.css';

export interface CopyButtonProps extends Pick<ButtonProps, 'class'> {
  /** `plain` has a border. */
  readonly kind?: ButtonProps['kind'] | 'plain';
  readonly size?: ButtonProps['size'] | 'normal';
  readonly text: string;
  /** The name of the button: `Copy invoice`. */
  readonly label: string;
  /** Shows the name beside the icon. */
  readonly hasText?: boolean;
}

/** Copies a text and says so for two seconds. */
export function CopyButton({ text, label, hasText = false, kind = 'quiet', size = 'small', class: added }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const look = {
    ...(kind !== 'plain' && { kind }),
    icon: isCopied ? 'done' : 'copy',
    ...(size !== 'normal' && { size }),
    ...(added !== undefined && { class: added }),
  } as const;
  const copy = () => void copyText(text).then(setIsCopied);
  return (
    <>
      {hasText ? (
        <Button {...look} onClick={copy}>
          {isCopied ? t.common.copied : label}
        </Button>
      ) : (
        <Button {...look} label={label} onClick={copy} />
      )}
      <span class="visually-hidden" role="status">
        {isCopied && t.common.copied}
      </span>
    </>
  );
}

/** A text of a program with a button that copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <div class="copy-text">
      <code class="mono">{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** Returns whether the text was copied. Pages without https have no clipboard; there, a selected field is copied. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    return isCopied;
  }
}
