import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { randomText } from '../../core/kernel/ids.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { oneOf } from '../../http/responses/response-types.ts';

/** The error of the public LNURL routes. */
export const LnurlError = Type.Object(
  { status: Type.Literal('ERROR', { description: 'Always `ERROR`' }), reason: Type.String({ description: 'The reason, for people' }) },
  { title: 'LnurlError', description: 'The request was rejected, in the form of LNURL' },
);

/** The schema that the public LNURL routes have in common. */
export const PUBLIC_LNURL = {
  tags: ['LNURL'],
  ...PUBLIC,
  // For a union the serializer would have to validate every response.
  response: { 200: Type.Object({}, { additionalProperties: true }) },
};

/** The status of a pay link or a withdraw link. */
export function linkStatus(description: string, inactive: string) {
  return Type.Object(
    {
      type: oneOf(['lnurl'], { description: 'The kind of object that has this status' }),
      name: oneOf(['lnurl_active', 'lnurl_inactive'], { description: inactive }),
      display_name: Type.String({ description: 'The status as text for people' }),
    },
    { description },
  );
}

export function renderLinkStatus(isActive: boolean) {
  return { type: 'lnurl', name: isActive ? 'lnurl_active' : 'lnurl_inactive', display_name: isActive ? 'Active' : 'Inactive' } as const;
}

/** Generates a bearer token with 143 random bits. */
export function newToken(): string {
  return randomText(24);
}

/**
 * Returns the hash to which the invoice of a pay link commits, in hex: the SHA-256 of the metadata and the payer's data in UTF-8.
 * Source: LUD-06, LUD-18.
 */
export function descriptionHash(metadata: string, payerData = ''): string {
  return createHash('sha256').update(metadata).update(payerData).digest('hex');
}

/**
 * Returns a URL with the scheme of its protocol in place of `https` (LUD-17); undefined for an http URL that is not an onion URL, because
 * wallets would call it with https.
 */
export function protocolUri(scheme: 'lnurlp' | 'lnurlw', url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || hostname.endsWith('.onion') ? url.replace(/^https?:/, `${scheme}:`) : undefined;
}
