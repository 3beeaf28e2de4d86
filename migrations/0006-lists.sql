-- Lists of failed payments: of a wallet, and of all (src/history/). Pending ones have their indexes already.
CREATE INDEX payment_failed ON payment (id) WHERE state = 'failed';
CREATE INDEX payment_failed_wallet ON payment (wallet_id, id) WHERE state = 'failed';
