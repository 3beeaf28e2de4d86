import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useCurrentWallet } from '../../frame/recent-wallet.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { money } from '../../texts/en-money.ts';
import { phone } from '../../texts/en-phone.ts';
import { t } from '../../texts/texts.ts';
import { recognize } from '../send/destination.ts';
import { handToSend } from '../send/pasted-text.ts';
import { RecentReceivers } from '../send/recent-receivers.tsx';
import { CameraView } from './camera-view.tsx';
import './scan.css';

/** What was read instead of a destination. */
interface Unusable {
  readonly reason: string;
  readonly text: string;
}

/** `/scan`: reads an invoice, an address or a link with the camera, from a picture, from the clipboard or from the keyboard, and opens Send. */
export function ScanScreen() {
  const [, navigate] = useLocation();
  const wallet = useCurrentWallet();
  const [typed, setTyped] = useState('');
  const [unusable, setUnusable] = useState<Unusable>();
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLDivElement>(null);

  function receive(text: string) {
    setProblem(undefined);
    const destination = recognize(text);
    if (destination.kind === 'empty') return;
    if (destination.kind === 'unusable') {
      const { reason } = destination;
      return setUnusable({ reason: reason === 'unknown' ? phone.scan.unknown : money.send.unusable[reason], text: text.trim() });
    }
    handToSend(text);
    navigate(wallet === undefined ? '/send' : `/wallets/${wallet}/send`, { replace: true });
  }

  async function paste() {
    try {
      const text = await navigator.clipboard.readText();
      if (text.trim() === '') return setProblem(phone.scan.nothingCopied);
      setTyped(text.length < 5000 ? text : '');
      receive(text);
    } catch {
      // Without https, and in some browsers, a page may not read the clipboard. The field can be pasted into.
      setProblem(phone.scan.pasteInField);
      field.current?.querySelector('input')?.focus();
    }
  }

  async function readFile(file: File) {
    setUnusable(undefined);
    setProblem(undefined);
    try {
      const { readPicture } = await import('./decode.ts');
      const text = await readPicture(file);
      if (text === undefined) setProblem(phone.scan.noCode);
      else receive(text);
    } catch {
      setProblem(phone.scan.noPicture);
    }
  }

  return (
    <>
      <PageHead title={t.navigation.scan} />
      <div class="scan-screen">
        <CameraView onText={receive} />
        <div role="status">
          {unusable && <NotUsable unusable={unusable} />}
          {problem !== undefined && <Note tone="warning">{problem}</Note>}
        </div>
        <div class="pair">
          <Button icon="copy" onClick={() => void paste()}>
            {phone.scan.paste}
          </Button>
          <PictureButton onFile={(file) => void readFile(file)} />
        </div>
        <Form class="scan-text" onSubmit={() => receive(typed)}>
          <div ref={field}>
            <TextField
              label={phone.scan.text}
              value={typed}
              onValue={setTyped}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
            />
          </div>
          <Button type="submit" disabled={typed.trim() === ''}>
            {t.login.continue}
          </Button>
        </Form>
        <LinkButton size="small" href="/contacts">
          {phone.contacts.all}
        </LinkButton>
        {wallet !== undefined && <RecentReceivers walletId={wallet} onChoose={receive} />}
      </div>
    </>
  );
}

function NotUsable({ unusable: { reason, text } }: { unusable: Unusable }) {
  const start = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return (
    <Note tone="warning">
      <p>{reason}</p>
      <p class="small scan-found">
        {phone.scan.found} <Foreign text={start} />
      </p>
    </Note>
  );
}

function PictureButton({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="download" onClick={() => input.current?.click()}>
        {phone.scan.picture}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={phone.scan.picture}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file) onFile(file);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}
