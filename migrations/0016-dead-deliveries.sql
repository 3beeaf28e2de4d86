-- Finds the deliveries that the service gave up in a period, for the operator's overview.
CREATE INDEX webhook_delivery_dead ON webhook_delivery (ended_at_ms) WHERE state = 'dead';
