import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { apps } from '../../texts/en-apps.ts';

export interface LinkOnceProps {
  /** Contains the secret of the app. The service does not store it. */
  readonly link: string;
  /** Whether the app has used the connection; undefined where the service does not report it. */
  readonly isUsed?: boolean | undefined;
  readonly onDone: () => void;
}

/** The link that connects an app, which is shown only now. */
export function LinkOnce({ link, isUsed, onDone }: LinkOnceProps) {
  return (
    <>
      <QrCode text={link} label={apps.qr} />
      <Note tone="warning">{apps.once}</Note>
      <div class="pair">
        <CopyButton text={link} label={apps.copy} hasText kind="plain" size="normal" />
        <a class="button" href={link}>
          <Icon name="open" size={15} />
          {apps.open}
        </a>
      </div>
      {'share' in navigator && (
        <Button icon="share" onClick={() => void share(link)}>
          {apps.share}
        </Button>
      )}
      {isUsed !== undefined && (
        <div role="status">
          {isUsed ? (
            <Badge tone="good" icon="done">
              {apps.used}
            </Badge>
          ) : (
            <Badge tone="waiting" icon="clock">
              {apps.waiting}
            </Badge>
          )}
        </div>
      )}
      {/* The second click of a double click on the button that was here before must not close the only view of the link. */}
      <Button size="big" onClick={({ detail }) => detail < 2 && onDone()}>
        {apps.done}
      </Button>
    </>
  );
}

/** The person may close the browser's list of programs, which is no error. */
async function share(text: string): Promise<void> {
  await navigator.share({ text }).catch(() => undefined);
}
