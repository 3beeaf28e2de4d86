import { Link } from 'wouter-preact';
import { Sats } from '../parts/amount.tsx';
import { Note } from '../parts/note.tsx';
import { money } from '../texts/en-money.ts';
import type { Attempt } from './attempt.ts';

/** Payments of this tab whose outcome is not known yet, above a form for another one. */
export function OpenAttempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null;
  return (
    <Note tone="warning">
      {attempts.map(({ id, order, summary }) => (
        <p key={id}>
          {money.attempt.isPending} <Sats sats={summary.sats} unit />, <bdi>{summary.to}</bdi>{' '}
          <Link replace href={`/wallets/${order.fields.key}/${order.operation === 'transfer' ? 'transfer' : 'send'}?attempt=${id}`}>
            {money.attempt.show}
          </Link>
        </p>
      ))}
    </Note>
  );
}
