import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KEY_KINDS, type KeyKind, newKeyText } from '../../src/core/accounts/keys.ts';
import { lndhubLink } from '../../src/features/keys/lndhub-link.ts';
import { splitLink } from '../clients/lndhub/bluewallet.ts';
import { readLink } from '../clients/lndhub/zeus.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const host = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
  fc.ipV4(),
);
const port = fc.option(
  fc.integer({ min: 1, max: 65_535 }).map((number) => `:${number}`),
  { nil: '' },
);
const path = fc
  .array(fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/), { maxLength: 3 })
  .map((parts) => parts.map((part) => `/${part}`).join(''));
const publicUrl = fc.tuple(fc.constantFrom('http://', 'https://'), host, port, path).map((parts) => parts.join(''));

const KINDS = Object.keys(KEY_KINDS) as KeyKind[];

it('each kind of key of a wallet has a link that BlueWallet and Zeus read, and no other kind has one', () => {
  fc.assert(
    fc.property(publicUrl, fc.constantFrom(...KINDS), (url, kind) => {
      const key = newKeyText(kind);
      const link = lndhubLink(url, { kind, key });
      if (!['wallet_admin', 'wallet_invoice', 'wallet_read'].includes(kind)) {
        expect(link).toBeUndefined();
        return;
      }
      const login = kind === 'wallet_admin' ? 'admin' : 'invoice';
      const base = `${url}/lndhub/ext`;
      expect(splitLink(link ?? '')).toEqual({ login, password: key, base });
      const sends = kind === 'wallet_admin';
      expect(readLink(link ?? '')).toEqual({ login, password: key, url: `${base}/`, receivesOnChain: false, sends });
    }),
  );
});
