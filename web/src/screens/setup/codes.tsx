import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { setup } from '../../texts/en-setup.ts';
import './setup.css';

/** Recovery codes, which are shown once. */
export function Codes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <ul class="recovery-codes mono" aria-label={setup.settingsTitle}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="recovery-buttons">
        <CopyButton text={codes.join('\n')} label={setup.copyCodes} hasText kind="plain" size="normal" />
        <Button onClick={() => print()}>{setup.printCodes}</Button>
      </div>
    </>
  );
}
