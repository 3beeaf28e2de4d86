-- What the payee of an LNURL shows after a payment (LUD-09), as JSON. It is written with the payment and shown once that is settled.
ALTER TABLE payment ADD COLUMN success_action TEXT;
