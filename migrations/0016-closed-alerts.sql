-- Who closed an alert through the API, and why; NULL if the service closed it because its cause was gone.
ALTER TABLE alert ADD COLUMN closed_by TEXT;
ALTER TABLE alert ADD COLUMN close_reason TEXT;
