import { readFileSync } from 'node:fs';
import { errorMessage } from './core/kernel/log.ts';

/** A setting is invalid. The message has its name and the rule. */
export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that contain secrets. `<name>_FILE` names a file with the value: service managers and containers pass secrets as files. */
const SECRETS: ReadonlySet<string> = new Set([
  'BOOTSTRAP_SECRET_KEY',
  'DATABASE_DURABILITY',
  'DATABASE_URL',
  'FIAT_RATES',
  'LIGHTNING_URL',
  'METRICS_TOKEN',
  'SECRET_KEY',
  'SMTP_URL',
  'TARGET_DATABASE_URL',
  'TELEGRAM_BOT_TOKEN',
]);

function readSecret(name: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
  } catch (error) {
    throw new InvalidConfig(`${name} must be the path of a file that this user can read (${(error as NodeJS.ErrnoException).code}).`);
  }
  throw new InvalidConfig(`${name} must be the path of a file that is not empty.`);
}

/** Returns functions that read settings by their names. An empty setting counts as absent. */
export function settingsOf(env: Environment) {
  const value = (name: string) => env[name]?.trim() || undefined;
  const get = (name: string): string | undefined => {
    const file = SECRETS.has(name) ? value(`${name}_FILE`) : undefined;
    if (file === undefined) return value(name);
    if (value(name) !== undefined) throw new InvalidConfig(`Only one of ${name} and ${name}_FILE may be set.`);
    return readSecret(`${name}_FILE`, file);
  };
  return {
    get,

    integer(name: string, fallback: number, min: number, max: number): number {
      const text = get(name) ?? String(fallback);
      if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
      throw new InvalidConfig(`${name} must be a whole number from ${min} to ${max}.`);
    },

    boolean(name: string, fallback = false): boolean {
      const text = get(name) ?? String(fallback);
      if (text === 'true' || text === 'false') return text === 'true';
      throw new InvalidConfig(`${name} must be true or false.`);
    },

    matching(name: string, form: RegExp, expected: string): string | undefined {
      const text = get(name);
      if (text === undefined || form.test(text)) return text;
      throw new InvalidConfig(`${name} must be ${expected}.`);
    },
  };
}

export type Settings = ReturnType<typeof settingsOf>;

/** Parses a setting with a parser of another module. An error of the parser becomes InvalidConfig with the name of the setting. @throws InvalidConfig */
export function parsed<T>(name: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidConfig(`${name}: ${errorMessage(error)}`);
  }
}
