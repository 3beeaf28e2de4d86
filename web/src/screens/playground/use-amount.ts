import { useState } from 'preact/hooks';
import { parseSats } from '../../parts/sats-field.tsx';
import { playground } from '../../texts/en-playground.ts';

/** The amount of a card. `field` has the properties of its field. */
export function useAmount(initial: string) {
  const [value, onValue] = useState(initial);
  const sats = parseSats(value);
  const error = value !== '' && sats === undefined ? playground.wholeSats : undefined;
  return {
    sats,
    isValid: error === undefined,
    field: { label: playground.amount, inputMode: 'numeric', error, value, onValue } as const,
  };
}
