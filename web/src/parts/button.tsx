import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Icon, type IconName } from './icon.tsx';
import './button.css';

interface Look {
  /** `primary` once per view; `danger` for what destroys something; `quiet` without a border. */
  readonly kind?: 'primary' | 'danger' | 'quiet';
  /** `big` takes the whole width. */
  readonly size?: 'small' | 'big';
  readonly icon?: IconName;
  /** The name of a button that shows only an icon. */
  readonly label?: string;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

export interface ButtonProps extends Look {
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly onClick?: (event: JSX.TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly 'aria-expanded'?: boolean;
  readonly 'aria-pressed'?: boolean;
  readonly 'aria-haspopup'?: 'menu' | 'dialog';
  readonly 'aria-controls'?: string;
  readonly 'aria-describedby'?: string;
}

export function Button({ kind, size, icon, label, class: added, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} class={lookOf({ kind, size, label, class: added })} aria-label={label} title={label} {...rest}>
      <Inside icon={icon} size={size}>
        {children}
      </Inside>
    </button>
  );
}

export interface LinkButtonProps extends Look {
  readonly href: string;
  /** Saves the response as a file instead of opening a screen. */
  readonly download?: string;
  readonly replace?: boolean;
}

/** A link to a screen that looks like a button. */
export function LinkButton({ kind, size, icon, label, class: added, children, href, download, replace = false }: LinkButtonProps) {
  const inside = (
    <Inside icon={icon} size={size}>
      {children}
    </Inside>
  );
  const look = { class: lookOf({ kind, size, label, class: added }), 'aria-label': label, title: label };
  if (download === undefined)
    return (
      <Link href={href} replace={replace} {...look}>
        {inside}
      </Link>
    );
  return (
    <a href={href} download={download} {...look}>
      {inside}
    </a>
  );
}

function Inside({ icon, size, children }: { icon: IconName | undefined; size: Look['size']; children: ComponentChildren }) {
  return (
    <>
      {icon && <Icon name={icon} size={size === 'small' ? 15 : 18} />}
      {children}
    </>
  );
}

function lookOf({ kind, size, label, class: added }: { [Name in keyof Look]?: Look[Name] | undefined }): string {
  return ['button', kind, size, label !== undefined && 'icon-only', added].filter(Boolean).join(' ');
}
