/** The English texts of logins without a password. */
export const logins = {
  passkeys: {
    title: 'Passkeys',
    hint: 'A passkey replaces e-mail, password and authenticator app. The device asks for a fingerprint, a face or a PIN.',
    logIn: 'Log in with a passkey',
    add: 'Add a passkey',
    create: 'Create the passkey',
    created: 'Created',
    name: 'Name of the passkey',
    nameHint: 'For you, such as the name of the device.',
    remove: 'Remove passkey',
    unnamed: 'Passkey without a name',
    unavailable: 'This browser cannot create passkeys at this address. They need https, or localhost.',
  },
};
