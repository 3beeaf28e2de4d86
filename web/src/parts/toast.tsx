import { useEffect, useState } from 'preact/hooks';
import './toast.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: string;
  readonly onAction?: () => void;
}

const SHOWN_MS = 6_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
let onChange: () => void = () => undefined;

/** Confirms a click for six seconds. Never the only place of an error. */
export function showToast(text: string, { action, onAction }: { action?: string; onAction?: () => void } = {}): void {
  const toast: Toast = { id: ++lastId, text, ...(action !== undefined && { action }), ...(onAction && { onAction }) };
  toasts = [...toasts.slice(-2), toast];
  onChange();
  setTimeout(() => remove(toast), SHOWN_MS);
}

function remove(toast: Toast): void {
  toasts = toasts.filter((one) => one !== toast);
  onChange();
}

/** The place of the toasts, once in the frame. */
export function Toasts() {
  const [, setCount] = useState(0);
  useEffect(() => {
    onChange = () => setCount((count) => count + 1);
  }, []);
  return (
    <div class="toasts" role="status">
      {toasts.map((toast) => (
        <div class="toast" key={toast.id}>
          {toast.text}
          {toast.action !== undefined && (
            <button
              type="button"
              onClick={() => {
                remove(toast);
                toast.onAction?.();
              }}
            >
              {toast.action}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
