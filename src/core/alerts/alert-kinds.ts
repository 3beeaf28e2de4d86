const CLOSE = 'in the dashboard, or with satchel reconcile --seen';

/**
 * All alerts: their meaning and what the operator should do. The operator's API, the dashboard and `satchel reconcile` show these texts;
 * docs/monitoring.md has more.
 */
export const ALERT_KINDS = {
  payment_stuck: {
    meaning: 'A payment has been pending for longer than the limit (STUCK_PAYMENT_SECONDS). Its money stays held.',
    remedy: 'Look up the payment hash on the node. The payment ends when the node reports an outcome. Never refund it by hand before.',
  },
  payment_contradicted: {
    meaning: 'The ledger and the node disagree about the outcome of a payment.',
    remedy: `Check on the node whether the money left. If it left and the wallet was refunded, the operator bears the difference. The alert closes when both agree. If they never can, close it ${CLOSE} <payment>.`,
  },
  payment_corrected: {
    meaning: 'The node reported a payment as failed and later as succeeded. The ledger was corrected.',
    remedy: `Tell the customer; the message states who pays. Then close the alert ${CLOSE} <payment>.`,
  },
  fee_above_limit: {
    meaning: 'The node exceeded the fee limit. The wallet paid its limit, the operator bears the rest.',
    remedy: `Find out why the node exceeds its fee limit, and stop withdrawals if it happens again. Then close the alert ${CLOSE} <payment>.`,
  },
  invoice_contradicted: {
    meaning:
      'The ledger and the node disagree about a received payment: a wallet was credited for an invoice that the node does not report as paid, or the node reported a payment that never arrived.',
    remedy: `Read the message. If a wallet was credited and the money is missing, stop its withdrawals and find out why. If nothing was credited, only tell the customer: the payer has the money back. Then close the alert ${CLOSE} <invoice>.`,
  },
  payments_arriving: {
    meaning: 'The node reported payments more than ten minutes ago and cannot show that they are final. They are not credited.',
    remedy:
      'On LND, set store-final-htlc-resolutions=true, and check that its channels are active. A payment whose HTLC was resolved while LND stored nothing is never proven: find out whether it arrived, from the balance of the channel or from the payer, and end it with satchel payment resolve <lntx> --received --reason "…" (or --failed). The alert closes when no such payment is left.',
  },
  holds_overdue: {
    meaning: 'Payments of hold invoices are still held at the node more than five minutes after their deadline.',
    remedy:
      'Check that the node answers and that its channels are active. The service repeats the decision until the node confirms it; if the HTLC expires before, the peer closes the channel. The alert closes when none is left.',
  },
  credits_unproven: {
    meaning:
      'Payments were credited before they were final (CREDIT_BEFORE_FINAL_MSAT), and for more than ten minutes the node has not shown that they arrived.',
    remedy: `On LND, set store-final-htlc-resolutions=true. Compare the balances of the channels. Then close the alert ${CLOSE} <node>, which accepts the payments that it counts; they are still looked up, at least once a day. Or end one with satchel payment resolve <lntx> --received --reason "…" (or --failed).`,
  },
  received_restricted: {
    meaning: 'A node received money for a wallet whose account may not receive (`frozen`, `closing` or `closed`). It was credited.',
    remedy: `Decide what happens with the money: it stays in the wallet, which cannot send it while the account is frozen or closed. Then close the alert ${CLOSE} <wallet>.`,
  },
  over_limit: {
    meaning: 'A node received money for a wallet beyond the limit of its balance or its receipts. It was credited.',
    remedy: `Ask the customer to withdraw, or raise the limit. Then close the alert ${CLOSE} <wallet>.`,
  },
  settlement_unbooked: {
    meaning: 'The node was paid for an invoice, and the ledger could not book it.',
    remedy: 'Read the log for the reason, often a full disk. Every reconciliation retries it.',
  },
  node_balance_fell: {
    meaning: 'Money left the node without an entry in the ledger.',
    remedy:
      'If you closed a channel or moved the node’s own money, accept the balance: on the page Reconciliation of the dashboard, or with satchel reconcile --new-baseline --reason "…". Otherwise stop withdrawals and find out where it went.',
  },
  event_unbooked: {
    meaning: 'The node reported an event that could not be booked. It is stored and retried; later events are booked.',
    remedy: 'Read the message and the log for the reason. The alert closes when all stored events are booked.',
  },
  node_restored: {
    meaning: 'The node was restored from an older backup: it does not have the event up to which its events were read.',
    remedy: `All events since the start of the ledger are read again, and all unsettled invoices are compared; nothing is credited twice. Check the payments that stay pending: the node may have lost them although the money left. Then close the alert ${CLOSE} <node>.`,
  },
  node_holds_less: {
    meaning: 'The node has less money than the ledger owes, beyond the amount in flight.',
    remedy: 'Stop withdrawals, and find out where the money went. The alert closes when the node has enough.',
  },
  relay_unavailable: {
    meaning:
      'A Nostr relay of connected apps has sent nothing for 45 seconds, or refuses events. Apps that use only this relay get no responses.',
    remedy: 'Read the message. Check the relay, and NWC_RELAYS. The alert closes when the relay is connected and accepts events.',
  },
  job_failing: {
    meaning: 'A background job has failed three times in a row. The alert has its name and the last reason.',
    remedy:
      'Read the log for the reasons (often a full disk or a missing permission of the database). If the reason is a bug, report it with the log. The job is retried, and the alert closes when it succeeds.',
  },
  suspense_not_empty: {
    meaning: 'Money arrived for no wallet.',
    remedy:
      'Assign it to a wallet, or return it to its payer, in the dashboard or with satchel suspense assign. The alert closes when suspense is empty.',
  },
  node_silent: {
    meaning: 'The node did not answer, so nothing was compared with it.',
    remedy: 'Check that the node runs and can be reached. Payments wait until it answers.',
  },
  node_setting: {
    meaning: 'A setting of the node can cost a channel, or delay received money.',
    remedy:
      'Change the setting that the message names, and restart the node. satchel node check shows whether others should be changed. The alert closes when the node reports the change.',
  },
  node_cannot_send: {
    meaning: 'The node answers, and for five minutes it has been unable to send: it has no active channel, or it is still starting.',
    remedy: 'Read the reason. Check the peers of its channels, or unlock the node. The alert closes when the node can send.',
  },
  channel_lost: {
    meaning: 'A channel of the node has been inactive for an hour, or is being closed by force. Its money cannot be used until then.',
    remedy:
      'If it is inactive, check that the peer is online, and connect to it. If it is being closed by force, keep the node running until the money is in its on-chain wallet. The alert closes when the channel is active or gone.',
  },
  node_not_synced: {
    meaning: 'The node has reported for ten minutes that it is not synchronized with the blockchain.',
    remedy: 'Check its Bitcoin node, its disk and its connections. The alert closes when the node is synchronized.',
  },
  node_behind: {
    meaning:
      'The node is behind the blockchain: its newest block is older than MAX_BLOCK_AGE_SECONDS, a payee was three blocks or more ahead, or it has not been synchronized for two minutes. Payments from it are rejected, because they would fail, and held payments can cost channels.',
    remedy:
      'Check the source of its blocks: the Bitcoin node, or the peers of neutrino. Restart it if it is stuck. The alert closes when the node has read a new block.',
  },
  liquidity_low: {
    meaning: 'The active channels of the node can send less than its wallets send on an average day, or receive less than they receive.',
    remedy:
      'To send more, open a channel from the node, or receive over its channels. To receive more, buy an incoming channel, or send payments from the node. The alert closes at 110 % of a day.',
  },
  replication_broken: {
    meaning:
      'The wait of a commit for the synchronous standby of PostgreSQL was cut short. What it wrote was not confirmed, and not sent to a node, before a standby had it.',
    remedy: `Find out why sessions that wait for the standby (SyncRep) are cancelled or ended, and prevent it: only bring the standby back. After a failover, run satchel reconcile. Then close the alert ${CLOSE} database.`,
  },
  backup_failed: {
    meaning: 'A scheduled backup was not written. The alert has the reason.',
    remedy:
      'Remove the reason, often a full disk or a missing permission of BACKUP_DIR, or run satchel backup to see it again. The next backup closes the alert.',
  },
  backup_old: {
    meaning: 'The last backup is older than three intervals (BACKUP_INTERVAL_SECONDS), or there is none.',
    remedy: 'Read the alert backup_failed for the reason. The next backup closes the alert.',
  },
  restored: {
    meaning: 'The database was restored from a backup. The service receives, and sends no money.',
    remedy:
      'The service reads back from its nodes what it has received and sent since: satchel restore status shows the progress. Then run satchel restore accept, which closes the alert.',
  },
  restore_shortfall: {
    meaning:
      'After a restore, payments that the node has sent cost more than the wallet had: what it had received from other wallets was lost. The operator bears the difference.',
    remedy: `satchel restore status lists the payments. Find out from which wallet the money came, and whether it was spent twice. Then close the alert ${CLOSE} <wallet>.`,
  },
  fiat_rate: {
    meaning:
      'A provider of FIAT_RATES fails or contradicts the others, the providers disagree, only a minority of them answers, a rate is too old, or it has jumped by half or more. The message has the reason. Amounts are never converted with such a rate.',
    remedy: `Check the providers, and FIAT_RATES. A jump is used after five refreshes in a row in which a majority confirms it. If the price is right, close the alert ${CLOSE} <currency>, which accepts it. The alert closes when the cause is gone.`,
  },
  proxy_address_unreadable: {
    meaning:
      'A trusted proxy sends X-Forwarded-For with an entry that is no IP address. Its requests count against the limits of the proxy’s own address, so all of its clients share them.',
    remedy: `Let the proxy send the client’s IP address, with or without a port. Then close the alert ${CLOSE} <proxy>.`,
  },
  withdrawals_stopped: {
    meaning: 'An operator has stopped all payments that leave the service. Receiving and transfers between wallets work.',
    remedy: 'Resume withdrawals in the dashboard, or with satchel withdrawals resume --reason "…", which closes the alert.',
  },
  webhook_disabled: {
    meaning: 'An endpoint of a webhook was disabled: nothing was delivered for three days, or it responded 410 Gone.',
    remedy:
      'Tell its owner. The owner resumes it in the dashboard, or with PATCH /v1/webhooks/<id> and status active, which closes the alert; so does deleting it.',
  },
  webhook_secrets_unreadable: {
    meaning: 'The signing secrets of active webhooks were sealed with another SECRET_KEY, so nothing is delivered to them.',
    remedy:
      'Set SECRET_KEY to the earlier key, or restore DATA_DIR/secret-key. If it is lost, the owners rotate the secrets of their webhooks. The alert closes by itself.',
  },
  alert_channel_failing: {
    meaning: 'Alerts cannot be sent by e-mail or to Telegram: three attempts in a row failed, or a recipient was refused.',
    remedy:
      'Read the reason. Correct the settings (SMTP_URL, ALERT_EMAIL_TO, TELEGRAM_BOT_TOKEN, TELEGRAM_CHAT_ID) and restart the service, then send a test message. The service tries again at least every 15 minutes, and the alert closes when a message is sent.',
  },
} as const satisfies Record<string, { meaning: string; remedy: string }>;

export type AlertKind = keyof typeof ALERT_KINDS;
