/** Settings of a channel for alerts, for tests that call every operation. Nothing listens there. */
export const UNREACHABLE_MAIL_SERVER = {
  SMTP_URL: 'smtp://127.0.0.1:1',
  ALERT_EMAIL_TO: 'ops@example.com',
  ALERT_EMAIL_FROM: 'satchel@example.com',
};
