import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import './secret-once.css';

export interface SecretOnceProps {
  readonly title: string;
  /** Default: that only a hash is stored. */
  readonly text?: string;
  readonly secret: string;
  /** The name of the copy button: `Copy key`. */
  readonly copyLabel: string;
  readonly onStored: () => void;
}

/** A new secret. The service stores only a hash of it, so it is shown only now. */
export function SecretOnce({ title, text = t.common.shownOnce, secret, copyLabel, onStored }: SecretOnceProps) {
  return (
    <section class="secret-once">
      <h2>
        <bdi>{title}</bdi>
      </h2>
      <p class="small secondary">{text}</p>
      <code class="mono">{secret}</code>
      <div class="row wrap">
        <CopyButton text={secret} label={copyLabel} hasText kind="primary" size="normal" />
        <Button onClick={onStored}>{t.common.stored}</Button>
      </div>
    </section>
  );
}
