import { Refusal } from '../../../core/kernel/refusal.ts';

/** With at least one letter or digit, because URL parsers drop path segments of dots. */
const NAME = /^(?=.*[a-z0-9])[a-z0-9._-]{1,64}$/i;
const TAG = /^[a-z0-9._-]{1,32}$/i;

/** Names that people take for the operator of the domain. Source: RFC 2142, and names of system accounts. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'abuse account admin administrator api billing contact help hostmaster info mail mailer-daemon marketing news no-reply nobody noc noreply ' +
    'office operator owner payments postmaster press root sales satchel security service status support system team webmaster www'
  ).split(' '),
);

/** Returns the name of a Lightning address (LUD-16) in lower case. @throws Refusal */
export function readName(text: string): string {
  // The form is checked first, because other letters become a-z in lower case, such as the sign for kelvin.
  if (!NAME.test(text))
    throw new Refusal(
      'validation_failed',
      '`lnurlp_identifier` must be 1 to 64 of the characters a-z 0-9 - _ . with at least one letter or digit.',
    );
  const name = text.toLowerCase();
  if (RESERVED.has(name)) throw new Refusal('address_taken');
  return name;
}

/** Returns one of the service's domains in lower case. @throws Refusal */
export function readDomain(text: string, domains: readonly string[]): string {
  const domain = text.toLowerCase();
  if (domains.includes(domain)) return domain;
  throw new Refusal('validation_failed', `\`lnurlp_domain\` must be a domain of this service: ${domains.join(', ')}.`);
}

/**
 * Reads the name of a request, and the tag after `+`, which the service passes on to the owner of the address. Returns undefined if no address
 * can have the name.
 */
export function parseRequestedName(text: string): { readonly name: string; readonly tag: string | undefined } | undefined {
  const parts = splitTag(text);
  return parts && NAME.test(parts.main) ? { name: parts.main.toLowerCase(), tag: parts.tag } : undefined;
}

/** Splits `main+tag`, where the tag is optional; undefined for a text that has another form. */
export function splitTag(text: string): { readonly main: string; readonly tag: string | undefined } | undefined {
  const [main = '', tag, ...more] = text.split('+');
  if (more.length > 0 || (tag !== undefined && !TAG.test(tag))) return undefined;
  return { main, tag: tag?.toLowerCase() };
}

/** The names of this service in addresses. */
export interface AddressHosts {
  /** The domains of addresses; the first is the default. */
  readonly addressDomains: readonly string[];
  /** The hosts under which this machine reaches the service. */
  readonly localHosts: readonly string[];
}

/**
 * Returns the domains in which the name of an address is looked up, the first one first. A Host header selects a configured domain. Any other
 * host, such as the address of this machine, stands for the default one. So the header can select nothing else. Where the default is a host of
 * this machine, its other hosts are the same domain: the address may have been created under one of them, with another PUBLIC_URL.
 */
export function domainsOfHost(host: string | undefined, { addressDomains, localHosts }: AddressHosts): readonly string[] {
  const wanted = host?.toLowerCase().replace(/:(80|443)$/, '') ?? '';
  const domain = addressDomains.find((one) => one === wanted) ?? addressDomains[0] ?? '';
  if (!localHosts.includes(domain)) return [domain];
  return [...new Set([...(localHosts.includes(wanted) ? [wanted] : []), domain, ...localHosts])];
}

/** Returns what the first of these domains has. */
export async function findInDomains<T>(
  domains: readonly string[],
  find: (domain: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const domain of domains) {
    const found = await find(domain);
    if (found !== undefined) return found;
  }
  return undefined;
}
