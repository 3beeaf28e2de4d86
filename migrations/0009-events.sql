-- One event that is not a booking, such as a created invoice. The events of bookings (money received, sent, transferred) are not stored: they
-- derive from the rows of ledger_transfer (src/features/events/log.ts). Rows are never changed, and deleted after EVENT_RETENTION_DAYS.
CREATE TABLE event (
  row INTEGER PRIMARY KEY,
  -- Its place in the event log, on the same line as the positions of transfers. In SQLite, the position of the newest transfer: the event
  -- follows that transfer, and events with the same position are ordered by `row`. In PostgreSQL, a number of its own.
  position INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  type TEXT NOT NULL,
  -- The wallet's ledger account, or the account of an event that concerns no wallet.
  ledger_account INTEGER,
  account_id TEXT,
  -- The id of the object that changed.
  subject TEXT NOT NULL,
  -- JSON: what the object's row does not keep.
  data TEXT,
  CHECK ((ledger_account IS NULL) <> (account_id IS NULL))
) STRICT;
CREATE INDEX event_position ON event (position, row);
CREATE INDEX event_wallet ON event (ledger_account, position, row) WHERE ledger_account IS NOT NULL;
-- begin postgres
ALTER TABLE event ALTER COLUMN position SET DEFAULT nextval(pg_get_serial_sequence('ledger_transfer', 'position'));
-- end postgres
