import { type Static, Type } from 'typebox';
import { type Instances, STALE_SECONDS } from '../../core/db/instances.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';

export const InstancesObject = namedObject('Instances', {
  client_address: Type.String({ description: 'The address of the client of this request, as rate limits count it' }),
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

/** Each limit by its setting: the environment variable, the unit, and what it limits. */
const LIMITS = {
  maxRequestsAtOnce: ['MAX_REQUESTS_AT_ONCE', 'requests', 'Requests of one key that run at the same time'],
  maxConnections: ['MAX_CONNECTIONS', 'connections', 'Connections to this instance'],
  maxUnsentBytes: ['MAX_UNSENT_BYTES', 'bytes', 'Responses of one account or address that were not read yet'],
  maxPaymentsInFlight: ['MAX_PAYMENTS_IN_FLIGHT', 'payments', 'Pending payments of one wallet'],
  maxOpenInvoices: ['MAX_OPEN_INVOICES', 'invoices', 'Open invoices of one wallet'],
  maxActiveKeys: ['MAX_ACTIVE_KEYS', 'keys', 'Active secret keys of one account, and of one wallet'],
  paymentWaitSeconds: ['PAYMENT_WAIT_SECONDS', 'seconds', 'How long a response waits for the end of a payment'],
  stuckPaymentSeconds: ['STUCK_PAYMENT_SECONDS', 'seconds', 'The age at which a pending payment is stuck'],
  reconcileSeconds: ['RECONCILE_SECONDS', 'seconds', 'Between two reconciliations'],
  proofIntervalSeconds: ['PROOF_INTERVAL_SECONDS', 'seconds', 'Between two proofs of liabilities. 0: none'],
  eventRetentionDays: ['EVENT_RETENTION_DAYS', 'days', 'How long events are kept'],
} as const;

/** The settings that limits are read from. */
export type LimitSettings = Readonly<Record<keyof typeof LIMITS, number>> & {
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly addressRateLimit: { readonly perSecond: number; readonly burst: number };
};

export async function readInstances(own: Instances, clientAddress: string): Promise<Static<typeof InstancesObject>> {
  const { instances, leases } = await own.list();
  return {
    client_address: clientAddress,
    instances: instances.map((one) => ({ ...one, is_this: one.id === own.id })),
    leases: leases.map(({ name, instance_id }) => {
      const renewedAt = instances.find(({ id }) => id === instance_id)?.seen_at;
      const isHeld = renewedAt !== undefined;
      return {
        name,
        instance_id: isHeld ? instance_id : null,
        is_held: isHeld,
        renewed_at: renewedAt ?? null,
        expires_at: isHeld ? renewedAt + STALE_SECONDS : null,
      };
    }),
  };
}

/** Returns the limits in force. */
export function listLimits(settings: LimitSettings): Static<typeof LimitObject>[] {
  const { rateLimit, addressRateLimit } = settings;
  const ofAddress = 'Requests of one address without a valid key, or to public LNURL routes. 0: no limit';
  const limits = [
    ['RATE_LIMIT_PER_SECOND', 'requests per second', 'Requests of one key. 0: no limit', rateLimit.perSecond],
    ['RATE_LIMIT_BURST', 'requests', 'Requests of one key at once, after a pause', rateLimit.burst],
    ['ADDRESS_RATE_LIMIT_PER_SECOND', 'requests per second', ofAddress, addressRateLimit.perSecond],
    ['ADDRESS_RATE_LIMIT_BURST', 'requests', 'The same at once, after a pause', addressRateLimit.burst],
    ...Object.entries(LIMITS).map(([name, limit]) => [...limit, settings[name as keyof typeof LIMITS]] as const),
  ] as const;
  return limits.map(([setting, unit, description, value]) => ({ setting, value, unit, description }));
}
