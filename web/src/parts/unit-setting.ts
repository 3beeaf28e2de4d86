import { useEffect, useState } from 'preact/hooks';
import type { Unit } from './format-amount.ts';

/** How this browser shows amounts. `fiat`: in sats, with the fiat value beside balances and large numbers. */
export type UnitSetting = Unit | 'fiat';

const listeners = new Set<(unit: UnitSetting) => void>();

/** Returns the setting, and renders again when it changes. */
export function useUnitSetting(): UnitSetting {
  const [unit, set] = useState(readUnit);
  useEffect(() => {
    listeners.add(set);
    return () => {
      listeners.delete(set);
    };
  }, []);
  return unit;
}

/** Returns the unit in which amounts are written. */
export function useUnit(): Unit {
  return useUnitSetting() === 'btc' ? 'btc' : 'sats';
}

export function setUnit(unit: UnitSetting): void {
  localStorage.setItem('unit', unit);
  for (const listener of listeners) listener(unit);
}

function readUnit(): UnitSetting {
  const unit = localStorage.getItem('unit');
  return unit === 'btc' || unit === 'fiat' ? unit : 'sats';
}
