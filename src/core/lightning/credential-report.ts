/** What the credential in the node's URL permits, compared with what the service needs. */
export interface CredentialReport {
  /** Calls that the service makes and the credential does not permit. */
  readonly missing: readonly string[];
  /** What the credential permits beyond that, as verbs: `send on-chain payments`. */
  readonly excessive: readonly string[];
  /** The command that creates a credential with exactly what is needed. */
  readonly command: string;
}
