import { api, type Login, type Passkey } from './client.ts';

/** Why there are no passkeys at this address, or in this browser; undefined if there are. */
export function whyNoPasskeys(): 'address' | 'insecure' | 'browser' | undefined {
  if (hasPasskeys()) return undefined;
  if (/^[\d.]+$|:/.test(location.hostname)) return 'address';
  return isSecureContext ? 'browser' : 'insecure';
}

/** Whether this browser and this address support passkeys. They need https or `localhost`, and belong to a name: an IP address has none. */
export function hasPasskeys(): boolean {
  if (/^[\d.]+$|:/.test(location.hostname)) return false;
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Logs in with a passkey that the person chooses. Returns undefined if the person cancels. */
export async function logInWithPasskey(): Promise<Login | undefined> {
  const options = await api.session.beginPasskeyLogin();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON);
  const credential = await answer(navigator.credentials.get({ publicKey }));
  return credential && api.session.logInWithPasskey({ credential });
}

/** Creates a passkey on this device. Returns undefined if the person cancels. */
export async function addPasskey(confirmation: { current_password?: string; code?: string }, name: string): Promise<Passkey | undefined> {
  const options = await api.session.beginPasskey(confirmation);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
  const credential = await answer(navigator.credentials.create({ publicKey }));
  return credential && api.session.addPasskey({ credential, name });
}

/** Sets e-mail and a passkey of this device with a setup link. Returns undefined if the person cancels. */
export async function setUpWithPasskey(link: { token: string; email?: string }): Promise<Login | undefined> {
  const options = await api.session.beginSetupPasskey(link);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
  const credential = await answer(navigator.credentials.create({ publicKey }));
  return credential && api.session.setUpPasskey({ ...link, credential });
}

async function answer(request: Promise<Credential | null>): Promise<Record<string, unknown> | undefined> {
  try {
    const credential = await request;
    return credential instanceof PublicKeyCredential ? { ...credential.toJSON() } : undefined;
  } catch (error) {
    if (error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')) return undefined;
    throw error;
  }
}
