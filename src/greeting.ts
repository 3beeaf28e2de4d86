import type { AccountKeys } from './accounts/accounts.ts';

export interface Greeting {
  readonly publicUrl: string;
  /** Where this machine reaches the service. */
  readonly localUrl: string;
  /** What the first start created, or the file that has it where the output is no terminal. */
  readonly newKeys: { readonly keys: AccountKeys } | { readonly file: string } | undefined;
  /** Otherwise nothing can be sent or received yet. */
  readonly isNodeAvailable: boolean;
  /** The Lightning node is the test tool: said loudly, because nothing else looks different. */
  readonly isFake?: boolean;
  /** Shell words that give the secret key. */
  readonly secretKeyShell: string;
}

/** What `npm start` prints once the service listens: where, with which key, and commands that work when they are pasted. */
export function greeting({ publicUrl, localUrl, newKeys, isNodeAvailable, isFake = false, secretKeyShell }: Greeting): string {
  const warning = isFake
    ? `
  !! The Lightning node is a FAKE: a test tool that can lose, delay and lie. No real money, no secrets: see docs/fake-node.md.
`
    : '';
  const state = isNodeAvailable
    ? `Satchel is ready at ${publicUrl}`
    : `Satchel waits for its Lightning node, at ${publicUrl}: nothing is sent or received until the node answers.`;
  return `${warning}
  ${state}
${newKeys ? describeKeys(newKeys) : ''}
  Try it: these lines make a wallet, let another node of the playground pay 5000 sat into it over Lightning, and show its balance.

KEY=${secretKeyShell}; URL=${localUrl}
WALLET=$(curl -s $URL/v1/wallet -H "X-Api-Key: $KEY" -d user_label=first | sed 's/.*"id":"\\(wal_[^"]*\\)".*/\\1/'); echo $WALLET
curl -s $URL/playground/fund -H "X-Api-Key: $KEY" -d wallet_id=$WALLET -d num_satoshis=5000; echo
curl -s "$URL/v1/wallet/$WALLET?fields=user_label,balance" -H "X-Api-Key: $KEY"; echo

`;
}

function describeKeys(newKeys: NonNullable<Greeting['newKeys']>): string {
  if ('file' in newKeys) {
    return `
  Your keys are in ${newKeys.file}, which only you can read. They are printed to a terminal only.
`;
  }
  return `
  Your keys, shown this once (also in the file that the commands below read):
    secret  ${newKeys.keys.secretKey}
    public  ${newKeys.keys.publicKey}
`;
}
