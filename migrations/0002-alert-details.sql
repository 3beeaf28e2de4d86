-- What the sentences about an alert need besides its subject, as JSON (src/core/alerts/alert-details.ts).
ALTER TABLE alert ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
