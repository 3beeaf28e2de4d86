/**
 * The figures of an alert, from which the dashboard and notifications make a sentence. The names are those of the API. Each kind has a few of them.
 * They are stored and sent to operators, so they must not contain a secret.
 */
export interface AlertDetails {
  /** The wallet whose money it is. */
  readonly wallet_id?: string | undefined;
  readonly ln_node_id?: string | undefined;
  /** The payment or invoice, `lntx_…`. */
  readonly lntx_id?: string | undefined;
  /** The account that owns what failed. */
  readonly account_id?: string | undefined;
  /** The money concerned. */
  readonly amount_msat?: number | undefined;
  /** The part of the money that the wallet paid. */
  readonly charged_msat?: number | undefined;
  /** What may explain a difference. */
  readonly in_flight_msat?: number | undefined;
  readonly count?: number | undefined;
  /** When the cause began, in Unix seconds, if that was before the alert was raised. */
  readonly since?: number | undefined;
  /** A host, a background job, a provider or a currency. */
  readonly name?: string | undefined;
  /** The state in the ledger, of an account or of a webhook; the provider of a rate. */
  readonly status?: string | undefined;
  /** A text of the node, the database or another service. */
  readonly reason?: string | undefined;
}
