import type { AccountKeys } from './core/accounts/accounts.ts';

export interface Greeting {
  readonly publicUrl: string;
  /** The URL of the service from this machine. */
  readonly localUrl: string;
  /** The keys that this start created, or the file with them if the output is not a terminal. */
  readonly newKeys: { readonly keys: AccountKeys } | { readonly file: string } | undefined;
  /** The link to set up the operator's login, or the file with it if the output is not a terminal; undefined if there is a login. */
  readonly setupLink?: { readonly url: string } | { readonly file: string } | undefined;
  /** If false, nothing can be sent or received yet. */
  readonly isNodeAvailable: boolean;
  /** Whether the database was restored and sends no money until the operator accepts the restore. */
  readonly isRestored?: boolean;
  /** Whether the Lightning node is the fake node. The greeting warns of it, because nothing else shows it. */
  readonly isFake?: boolean;
  /** Whether the node is in a test network, whose other nodes can be told to pay. */
  readonly hasPlayground: boolean;
  /** A shell expression that expands to the secret key. */
  readonly secretKeyShell: string;
}

const PLAYGROUND_STEPS = 'create a wallet, let another node of the playground pay 5000 sat to it over Lightning, and print its balance.';
const REAL_STEPS = 'create a wallet and an invoice of 5000 sat, which any Lightning wallet of its network can pay, and print the balance.';
const FUND = 'curl -s $URL/playground/fund -H "X-Api-Key: $KEY" -d wallet_id=$WALLET -d num_satoshis=5000';
const INVOICE = 'curl -s $URL/v1/wallet/$WALLET/invoice -H "X-Api-Key: $KEY" -d num_satoshis=5000';

/** Returns the text that `npm start` prints when the service listens: its URL, its keys, and commands to try. */
export function greeting(details: Greeting): string {
  const { publicUrl, localUrl, newKeys, setupLink, isNodeAvailable, isRestored, isFake, hasPlayground, secretKeyShell } = details;
  const state = isNodeAvailable
    ? `Satchel is ready at ${publicUrl}`
    : `Satchel waits for its Lightning node, at ${publicUrl}: nothing is sent or received until the node answers.`;
  return `${isFake ? FAKE : ''}
  ${state}
${isRestored ? RESTORED : ''}${newKeys ? describeKeys(newKeys) : ''}${setupLink ? describeSetupLink(setupLink) : ''}
  Try it: these commands ${hasPlayground ? PLAYGROUND_STEPS : REAL_STEPS}

KEY=${secretKeyShell}; URL=${localUrl}
WALLET=$(curl -s $URL/v1/wallet -H "X-Api-Key: $KEY" -d user_label=first | sed 's/.*"id":"\\(wal_[^"]*\\)".*/\\1/'); echo $WALLET
${hasPlayground ? FUND : INVOICE}; echo
curl -s "$URL/v1/wallet/$WALLET?fields=user_label,balance" -H "X-Api-Key: $KEY"; echo

`;
}

const FAKE = `
  !! The Lightning node is a FAKE: a test tool that loses calls and reports wrong outcomes. Never use it for real money: see docs/fake-node.md.
`;

const RESTORED = `
  The database was restored. The service receives money and sends none until you run \`satchel restore accept\`. See \`satchel restore status\`.
`;

function describeKeys(newKeys: NonNullable<Greeting['newKeys']>): string {
  if ('file' in newKeys) {
    return `
  Your keys are in ${newKeys.file}, which only you can read. They are printed only to a terminal.
`;
  }
  return `
  Your keys, shown this once (the commands below read them from a file):
    secret  ${newKeys.keys.secretKey}
    public  ${newKeys.keys.publicKey}
`;
}

function describeSetupLink(setupLink: NonNullable<Greeting['setupLink']>): string {
  if ('file' in setupLink) {
    return `
  No operator can log in yet. The link to create a passkey or a password is in ${setupLink.file}, which only you can read.
`;
  }
  return `
  No operator can log in yet. Create a passkey or a password here; the link works once, and until the next start:
    ${setupLink.url}
`;
}
