-- Whether anyone can log in is read without a key.
CREATE INDEX account_with_password ON account (id) WHERE password_hash IS NOT NULL;
