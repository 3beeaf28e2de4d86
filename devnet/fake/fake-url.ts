import { type FaultRates, faultsAt, NO_FAULTS } from './faults.ts';
import { PROFILES, type ProfileName } from './profile.ts';

export interface FakeAddress {
  readonly seed: string;
  readonly rates: FaultRates;
  readonly behaves: ProfileName;
}

/** The text is not a valid URL of a fake node. The message contains the rule. */
export class InvalidFakeUrl extends Error {
  override readonly name = 'InvalidFakeUrl';
}

/** Parameter names in kebab case: `lose-answer` for `loseAnswer`. */
const RATE_NAMES: ReadonlyMap<string, keyof FaultRates> = new Map(
  (Object.keys(NO_FAULTS) as (keyof FaultRates)[]).map((name) => [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), name]),
);

/** Parses `fake:` or `fake:?seed=1&faults=0.1&…`; the rate of a single fault overrides `faults`. @throws InvalidFakeUrl */
export function parseFakeUrl(text: string): FakeAddress {
  const [, query] = /^fake:(?:\?(.*))?$/.exec(text) ?? [];
  if (!text.startsWith('fake:') || (query === undefined && text !== 'fake:')) throw new InvalidFakeUrl('write fake: or fake:?seed=1');
  const parameters = new URLSearchParams(query);
  const seed = parameters.get('seed') ?? '1';
  if (!/^[0-9A-Za-z_-]{1,64}$/.test(seed)) throw new InvalidFakeUrl('the seed must be 1 to 64 letters, digits, _ or -');
  let rates = faultsAt(rateOf(parameters, 'faults') ?? 0);
  for (const name of parameters.keys()) {
    const fault = RATE_NAMES.get(name);
    if (fault) rates = { ...rates, [fault]: rateOf(parameters, name) };
    else if (!['seed', 'faults', 'behaves'].includes(name))
      throw new InvalidFakeUrl(`it may have seed, behaves, faults, ${[...RATE_NAMES.keys()].join(', ')}, and nothing else`);
  }
  return { seed, rates, behaves: profileOf(parameters.get('behaves') ?? 'ideal') };
}

function profileOf(text: string): ProfileName {
  if (Object.hasOwn(PROFILES, text)) return text as ProfileName;
  throw new InvalidFakeUrl(`behaves must be ${Object.keys(PROFILES).join(', ')}`);
}

function rateOf(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  if (!/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text)) throw new InvalidFakeUrl(`${name} must be a rate from 0 to 1, such as 0.1`);
  return Number(text);
}
