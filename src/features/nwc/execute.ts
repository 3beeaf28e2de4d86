import { errorMessage } from '../../core/kernel/log.ts';
import type { NostrEvent } from '../../core/nostr/event.ts';
import type { Connection, Connections } from './connections.ts';
import { asNwcError, NwcError } from './errors.ts';
import { isMethod } from './methods.ts';
import type { AppRequest, NwcModules } from './modules.ts';
import type { Params } from './params.ts';
import { getBalance, getBudget, getInfo, listTransactions, lookupInvoice } from './read-methods.ts';
import { inTurns } from './request-turns.ts';
import { ConcurrentRequest, type NewRequest, type RequestStore, type StoredRequest } from './requests.ts';
import type { MethodOutcome, Responses } from './responses.ts';
import { STORED_METHODS, type StoredMethodName } from './stored-methods.ts';

const READ_METHODS = {
  get_info: getInfo,
  get_balance: getBalance,
  get_budget: getBudget,
  lookup_invoice: lookupInvoice,
  list_transactions: listTransactions,
};

export interface ExecutorDependencies {
  readonly modules: NwcModules;
  readonly connections: Connections;
  readonly requests: RequestStore;
  readonly responses: Responses;
  /** Called when an event waits to be published. */
  onWaiting(): void;
}

const PAGE = 100;
/** How many requests without a response one round looks at. */
const MAX_ENDED = 10_000;

/** Executes authenticated requests. */
export type Executor = ReturnType<typeof createExecutor>;

export function createExecutor(deps: ExecutorDependencies) {
  const { modules, requests, responses, onWaiting } = deps;
  /** The requests that this process is executing. Others are answered by {@link answerEnded}. */
  const running = new Set<string>();

  /** Stores the response of a request whose outcome is known. */
  async function answer(
    connection: Connection,
    request: Pick<StoredRequest, 'id' | 'method' | 'scheme' | 'item'>,
    made: string,
  ): Promise<void> {
    const { result } = STORED_METHODS[request.method as StoredMethodName];
    let outcome: MethodOutcome;
    try {
      const found = await result(modules, made);
      if (!found) return;
      outcome = { result: found };
    } catch (error) {
      if (!(error instanceof NwcError)) throw error;
      outcome = { error };
    }
    const answered = { ...request, item: request.item ?? undefined };
    await requests.answer(request.id, connection, await responses.respond(connection, answered, outcome));
    onWaiting();
  }

  /** Stores and publishes an error. From then on the event is not executed: its app was told that nothing was paid. */
  async function refuse(request: NewRequest, error: NwcError): Promise<void> {
    if (await requests.refuse(request, await responses.respond(request.connection, request, { error }))) onWaiting();
  }

  /** @throws an error after which it is unknown whether the request has created something */
  async function start(request: AppRequest, method: StoredMethodName, params: Params): Promise<string | undefined> {
    try {
      const { id, isReplay } = await STORED_METHODS[method].start(modules, request, params, (made) => [requests.rowOf(request, made)]);
      if (isReplay) await requests.store(request, id);
      return id;
    } catch (error) {
      if (error instanceof ConcurrentRequest) return undefined;
      const refusal = asNwcError(error);
      if (!refusal) throw error;
      await refuse(request, refusal);
      return undefined;
    }
  }

  /** Answers a request when its payment has ended. If that takes too long, {@link answerEnded} answers it later. */
  async function finish(request: AppRequest, made: string): Promise<void> {
    const { makes } = STORED_METHODS[request.method as StoredMethodName];
    if (makes === 'payment') await modules.payments.wait(made, modules.paymentWaitSeconds);
    await answer(request.connection, { ...request, item: request.item ?? null }, made);
  }

  /** If the request has created something, it is answered later. Otherwise the app gets no answer, which proves nothing. */
  function warn(method: string, error: unknown): void {
    modules.log.warn({ method, reason: errorMessage(error) }, 'a request of an app has no response yet');
  }

  return {
    refuse,

    /**
     * Executes a method that reads.
     * @returns the event of the response
     */
    async read(request: AppRequest, params: Params): Promise<NostrEvent> {
      return responses.respond(request.connection, request, await readOutcome(modules, request, params));
    },

    /**
     * Executes a stored method, once for each id. Resolves when it has held the money, created the invoice or failed; it is answered when its
     * outcome is known. Never throws.
     */
    async execute(request: AppRequest, params: Params): Promise<void> {
      const { id, method } = request;
      if (running.has(id)) return;
      running.add(id);
      const made = await start(request, method as StoredMethodName, params).catch((error) => warn(method, error));
      if (made === undefined) running.delete(id);
      else
        void finish(request, made)
          .catch((error) => warn(method, error))
          .finally(() => running.delete(id));
    },

    /**
     * Answers requests whose payments have ended without a response: after a restart, and after more than a request waits. Accounts take turns.
     */
    async answerEnded(): Promise<void> {
      const ended = await listEnded(deps, (id) => running.has(id));
      // One that cannot be answered must not delay the others.
      for (const { connection, row, made } of inTurns(ended, (one) => one.connection.accountId))
        await answer(connection, row, made).catch((error) => warn(row.method, error));
    },
  };
}

interface EndedRequest {
  readonly row: StoredRequest;
  readonly made: string;
  readonly connection: Connection;
}

/** Returns requests without a response whose payments have ended. */
async function listEnded(
  { requests, connections }: Pick<ExecutorDependencies, 'requests' | 'connections'>,
  isRunning: (id: string) => boolean,
): Promise<EndedRequest[]> {
  const ended: EndedRequest[] = [];
  for (let after = 0; ended.length < MAX_ENDED; ) {
    const rows = await requests.listUnanswered(after, PAGE);
    for (const row of rows) {
      after = row.position;
      const connection = isRunning(row.id) || !isMethod(row.method) ? undefined : await connections.findById(row.connection_id);
      if (connection && row.made !== null) ended.push({ row, made: row.made, connection });
    }
    if (rows.length < PAGE) break;
  }
  return ended;
}

async function readOutcome(modules: NwcModules, request: AppRequest, params: Params): Promise<MethodOutcome> {
  const method = request.method as keyof typeof READ_METHODS;
  try {
    return { result: await READ_METHODS[method](modules, request, params) };
  } catch (error) {
    const known = asNwcError(error);
    if (known) return { error: known };
    modules.log.warn({ method, reason: errorMessage(error) }, 'a request of an app failed');
    // A read moves no money, so its failure may be reported.
    return { error: new NwcError('INTERNAL', 'The service could not read that. Try again later.') };
  }
}
