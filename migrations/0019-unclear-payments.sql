-- Until when a process of the service has observed the node since a request of the payment became unclear. Time that no process observed does
-- not count towards the wait for a late request, and a restart does not begin that wait again.
ALTER TABLE payment ADD COLUMN unclear_checked_ms INTEGER CHECK (unclear_checked_ms >= 0);
