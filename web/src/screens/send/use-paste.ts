import { useEffect } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { isTyping } from '../../frame/shortcuts.ts';
import { isDestination } from './destination.ts';
import { handToSend } from './pasted-text.ts';

/** Opens Send of the wallet when an invoice, an address or a link is pasted outside a field. */
export function usePaste(walletId: string): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    function onPaste(event: ClipboardEvent) {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (isTyping(event.target) || document.querySelector('dialog[open]') || !isDestination(text)) return;
      event.preventDefault();
      handToSend(text);
      navigate(`/wallets/${walletId}/send`);
    }
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, [walletId, navigate]);
}
