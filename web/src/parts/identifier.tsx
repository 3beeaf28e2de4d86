import { CopyButton } from './copy.tsx';
import './identifier.css';

/** An id, hash or key in full, with a button that copies it. `label` names the button. */
export function Identifier({ value, label }: { value: string; label: string }) {
  return (
    <span class="identifier">
      <span class="mono">{value}</span>
      <CopyButton text={value} label={label} />
    </span>
  );
}
