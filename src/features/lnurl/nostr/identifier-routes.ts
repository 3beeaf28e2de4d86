import { Type } from 'typebox';
import type { Database } from '../../../core/db/database.ts';
import type { App } from '../../../http/app-type.ts';
import { PUBLIC } from '../../../http/openapi/route-schema.ts';
import { type AddressHosts, domainsOfHost, findInDomains, parseRequestedName } from '../pay/address.ts';
import { findNostrKey } from '../pay/pay-links.sql.ts';

const getSchema = {
  tags: ['LNURL'],
  ...PUBLIC,
  operationId: 'getNostrIdentifier',
  summary: 'Find the Nostr public key of an address',
  description: 'Returns the key of the Nostr identifier `name@domain` (NIP-05). The Host header selects one of the domains of the service.',
  querystring: Type.Partial(Type.Object({ name: Type.String({ maxLength: 100, description: 'The name of the address' }) })),
  response: {
    200: Type.Object(
      {
        names: Type.Record(Type.String(), Type.String(), {
          description: 'The name and the public key in hex. Empty if there is no such address, or its owner has stored no key',
        }),
        relays: Type.Object({}, { description: 'Always empty' }),
      },
      { title: 'NostrIdentifier', description: 'The Nostr public key of an address' },
    ),
  },
};

/** The public route of Nostr identifiers (NIP-05). */
export function nostrIdentifierRoutes(app: App, { database, ...hosts }: AddressHosts & { readonly database: Database }): void {
  async function findKey(name: string, host: string | undefined): Promise<string | undefined> {
    const requested = parseRequestedName(name);
    if (!requested || requested.tag !== undefined) return undefined;
    const found = await findInDomains(domainsOfHost(host, hosts), (domain) => database.first(findNostrKey, domain, requested.name));
    return found?.nostr_pubkey ?? undefined;
  }

  app.get('/.well-known/nostr.json', { schema: getSchema, config: { isPublic: true } }, async (request) => {
    const { name = '' } = request.query;
    const key = await findKey(name, request.headers.host);
    return { names: key === undefined ? {} : { [name]: key }, relays: {} };
  });
}
