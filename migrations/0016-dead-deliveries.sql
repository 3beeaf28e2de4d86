-- The deliveries that were given up, by the time of that, for the figures of operators.
CREATE INDEX webhook_delivery_dead ON webhook_delivery (ended_at_ms) WHERE state = 'dead';
