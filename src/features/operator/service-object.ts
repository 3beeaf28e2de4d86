import { type Static, Type } from 'typebox';
import { type Instances, STALE_SECONDS } from '../../core/db/instances.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';

export const InstancesObject = namedObject('Instances', {
  instances: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The id of the instance, `ins_…`, new at each start' }),
      host: Type.String({ description: 'The name of its machine' }),
      pid: Type.Integer({ description: 'The id of its process' }),
      started_at: Type.Integer({ description: 'Unix seconds' }),
      seen_at: Type.Integer({ description: 'When it last reported, by its clock, in Unix seconds' }),
      is_this: Type.Boolean({ description: 'Whether it sent this response' }),
    }),
    { description: 'An instance that crashed remains for an hour' },
  ),
  leases: Type.Array(
    Type.Object({
      name: Type.String({ description: 'The background jobs' }),
      instance_id: nullable(Type.String({ description: 'The instance that runs them; null while none does' })),
      is_held: Type.Boolean({ description: 'Whether an instance holds it' }),
      renewed_at: nullable(Type.Integer({ description: 'When the instance last reported, in Unix seconds' })),
      expires_at: nullable(Type.Integer({ description: 'When another instance takes it over unless this one reports before' })),
    }),
    { description: 'The background jobs and who runs them; empty on SQLite' },
  ),
});

export const LimitObject = namedObject('Limit', {
  setting: Type.String({ description: 'The environment variable that sets it' }),
  value: Type.Integer({ description: 'The value in force' }),
  unit: Type.String({ description: 'Its unit' }),
  description: Type.String({ description: 'What it limits' }),
});

/** The settings that limits are read from. */
export interface LimitSettings {
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly addressRateLimit: { readonly perSecond: number; readonly burst: number };
  readonly maxRequestsAtOnce: number;
  readonly maxConnections: number;
  readonly maxUnsentBytes: number;
  readonly maxPaymentsInFlight: number;
  readonly maxOpenInvoices: number;
  readonly paymentWaitSeconds: number;
  readonly stuckPaymentSeconds: number;
  readonly reconcileSeconds: number;
  readonly proofIntervalSeconds: number;
  readonly eventRetentionDays: number;
}

export function renderInstances({ instances, leases }: Awaited<ReturnType<Instances['list']>>): Static<typeof InstancesObject> {
  return {
    instances: instances.map(({ startedAt, seenAt, isThis, ...one }) => ({
      ...one,
      started_at: startedAt,
      seen_at: seenAt,
      is_this: isThis,
    })),
    leases: leases.map(({ name, holder }) => ({
      name,
      instance_id: holder?.id ?? null,
      is_held: holder !== undefined,
      renewed_at: holder?.seenAt ?? null,
      expires_at: holder ? holder.seenAt + STALE_SECONDS : null,
    })),
  };
}

/** Returns the limits in force. */
export function listLimits(settings: LimitSettings): Static<typeof LimitObject>[] {
  const { rateLimit, addressRateLimit } = settings;
  const limits: [setting: string, value: number, unit: string, description: string][] = [
    ['RATE_LIMIT_PER_SECOND', rateLimit.perSecond, 'requests per second', 'Requests of one key. 0: no limit'],
    ['RATE_LIMIT_BURST', rateLimit.burst, 'requests', 'Requests of one key at once, after a pause'],
    [
      'ADDRESS_RATE_LIMIT_PER_SECOND',
      addressRateLimit.perSecond,
      'requests per second',
      'Requests of one address without a valid key, or to public LNURL routes. 0: no limit',
    ],
    ['ADDRESS_RATE_LIMIT_BURST', addressRateLimit.burst, 'requests', 'The same at once, after a pause'],
    ['MAX_REQUESTS_AT_ONCE', settings.maxRequestsAtOnce, 'requests', 'Requests of one key that run at the same time'],
    ['MAX_CONNECTIONS', settings.maxConnections, 'connections', 'Connections to this instance'],
    ['MAX_UNSENT_BYTES', settings.maxUnsentBytes, 'bytes', 'Responses of one key or address that were not read yet'],
    ['MAX_PAYMENTS_IN_FLIGHT', settings.maxPaymentsInFlight, 'payments', 'Pending payments of one wallet'],
    ['MAX_OPEN_INVOICES', settings.maxOpenInvoices, 'invoices', 'Open invoices of one wallet'],
    ['PAYMENT_WAIT_SECONDS', settings.paymentWaitSeconds, 'seconds', 'How long a response waits for the end of a payment'],
    ['STUCK_PAYMENT_SECONDS', settings.stuckPaymentSeconds, 'seconds', 'The age at which a pending payment is stuck'],
    ['RECONCILE_SECONDS', settings.reconcileSeconds, 'seconds', 'Between two reconciliations'],
    ['PROOF_INTERVAL_SECONDS', settings.proofIntervalSeconds, 'seconds', 'Between two proofs of liabilities. 0: none'],
    ['EVENT_RETENTION_DAYS', settings.eventRetentionDays, 'days', 'How long events are kept'],
  ];
  return limits.map(([setting, value, unit, description]) => ({ setting, value, unit, description }));
}
