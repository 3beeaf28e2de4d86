import { type Static, Type } from 'typebox';
import { ACCOUNT_STATUSES, STATUS_MEANING } from '../../core/accounts/account-states.ts';
import { type CreatedAccount, ROLES } from '../../core/accounts/directory.ts';
import { type SetupLink, setupUrl } from '../../core/accounts/setup-links.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';

export const AccountObject = namedObject('Account', {
  id: Type.String({ description: 'The id of the account, `acc_…`' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  public_key: Type.String({ description: 'The public API key of the account, `pak_…`' }),
  role: oneOf(ROLES, { description: 'An `operator` also manages the accounts' }),
  status: oneOf(ACCOUNT_STATUSES, { description: `What the account may do. \`active\`: everything. ${STATUS_MEANING}` }),
  email: nullable(Type.String({ description: 'The e-mail, which is the name of its login; null without one' })),
  currency: nullable(Type.String({ description: 'The ISO 4217 code of the currency in which its owner sees amounts; null: none' })),
  has_password: Type.Boolean({ description: 'Whether the account can log in with e-mail and password' }),
  has_totp: Type.Boolean({ description: 'Whether the login also needs a code of an authenticator app' }),
  max_wallets: Type.Integer({ description: 'The most wallets that the account may have; 0: no limit' }),
  num_wallets: Type.Integer({ description: 'The number of its wallets' }),
  parent_id: nullable(Type.String({ description: 'The account above, `acc_…`; null for one that is no sub-account' })),
  share_millionths: Type.Integer({
    description: 'The share of the fees of its wallets that goes to a wallet of an account above, in millionths; 0: none',
  }),
  revenue_wallet_id: nullable(Type.String({ description: 'The wallet that gets the share, `wal_…`; null: none' })),
  setup_expires_at: nullable(Type.Integer({ description: 'When its setup link expires, in Unix seconds; null if there is none' })),
});

export const NewAccountObject = namedObject('NewAccount', {
  ...AccountObject.properties,
  secret_key: nullable(
    Type.String({ description: 'The secret API key of the account, `sak_…`. Only this response contains it. Null with `invite`' }),
  ),
  setup_url: nullable(Type.String({ description: 'With `invite`: the link for the owner, as of `createSetupLink`; null otherwise' })),
});

export const SetupLinkObject = namedObject('SetupLink', {
  setup_url: Type.String({ description: 'The link with which the owner sets e-mail and password, once. Only this response contains it' }),
  setup_expires_at: Type.Integer({ description: 'When the link expires, in Unix seconds' }),
});

/** Returns the fields of a new account that no later response contains. */
export function renderSecrets({ secretKey, setupLink }: CreatedAccount, publicUrl: string) {
  const link = setupLink ? renderSetupLink(setupLink, publicUrl) : { setup_url: null, setup_expires_at: null };
  return { secret_key: secretKey ?? null, ...link };
}

export function renderSetupLink({ token, expiresAt }: SetupLink, publicUrl: string): Static<typeof SetupLinkObject> {
  return { setup_url: setupUrl(publicUrl, token), setup_expires_at: expiresAt };
}
