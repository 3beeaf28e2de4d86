import { useEffect, useState } from 'preact/hooks';
import type { Unit } from './format-amount.ts';

const listeners = new Set<(unit: Unit) => void>();

/** Returns the setting, and renders again when it changes. */
export function useUnit(): Unit {
  const [unit, set] = useState(readUnit);
  useEffect(() => {
    listeners.add(set);
    return () => {
      listeners.delete(set);
    };
  }, []);
  return unit;
}

export function setUnit(unit: Unit): void {
  localStorage.setItem('unit', unit);
  for (const listener of listeners) listener(unit);
}

export function readUnit(): Unit {
  return localStorage.getItem('unit') === 'btc' ? 'btc' : 'sats';
}
