/** The object of the caller, without what the service adds. */
export function passThruText({
  method,
  source_wallet_id,
  dest_wallet_id,
  lnPayParams,
  source_transaction,
  comment_not_sent,
  ...own
}: Record<string, unknown>) {
  return Object.keys(own).length > 0 ? <bdi class="mono">{JSON.stringify(own, null, 1)}</bdi> : undefined;
}
