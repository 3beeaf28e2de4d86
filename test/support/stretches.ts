import { ServerResponse } from 'node:http';
import { SqliteConnection } from '../../src/core/db/sqlite-connection.ts';

/** The work of one cycle of the event loop, which all other requests wait for. */
export interface Stretch {
  /** Rows that SQLite returned. */
  readonly rows: number;
  /** Rows that SQLite wrote. */
  readonly written: number;
  /** Bytes of responses. */
  readonly bytes: number;
  /** Milliseconds of the main thread; for reports, not for assertions. */
  readonly ms: number;
}

const NONE = { rows: 0, written: 0, bytes: 0 };

/** Counts the work between two cycles of the event loop, in this process and on SQLite. */
export function countStretches() {
  const { all, first, run } = SqliteConnection.prototype;
  const { write, end } = ServerResponse.prototype;
  let current = { ...NONE };
  let beganAtMs = performance.now();
  let largest = { ...NONE, ms: 0 };
  let isStopped = false;
  SqliteConnection.prototype.all = async function <R>(...given: Parameters<typeof all>) {
    const rows = (await all.apply(this, given)) as R[];
    current.rows += rows.length;
    return rows;
  };
  SqliteConnection.prototype.first = async function <R>(...given: Parameters<typeof first>) {
    current.rows += 1;
    return (await first.apply(this, given)) as R | undefined;
  };
  SqliteConnection.prototype.run = async function (...given: Parameters<typeof run>) {
    const changes = await run.apply(this, given);
    current.written += changes;
    return changes;
  };
  const counted = <T extends (this: ServerResponse, ...given: never[]) => unknown>(method: T) =>
    function (this: ServerResponse, ...given: never[]) {
      const [chunk] = given as unknown[];
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) current.bytes += Buffer.byteLength(chunk);
      return method.apply(this, given);
    } as unknown as T;
  ServerResponse.prototype.write = counted(write as never) as typeof write;
  ServerResponse.prototype.end = counted(end as never) as typeof end;

  function endStretch(): void {
    const now = performance.now();
    largest = {
      rows: Math.max(largest.rows, current.rows),
      written: Math.max(largest.written, current.written),
      bytes: Math.max(largest.bytes, current.bytes),
      ms: Math.max(largest.ms, now - beganAtMs),
    };
    [current, beganAtMs] = [{ ...NONE }, now];
  }

  function nextStretch(): void {
    endStretch();
    if (!isStopped) setImmediate(nextStretch);
  }
  setImmediate(nextStretch);

  return {
    /** Returns the most of each kind of work that one stretch had while `work` ran. */
    async largestDuring(work: () => Promise<unknown>): Promise<Stretch> {
      endStretch();
      largest = { ...NONE, ms: 0 };
      await work();
      endStretch();
      return largest;
    },
    stop(): void {
      isStopped = true;
      Object.assign(SqliteConnection.prototype, { all, first, run });
      Object.assign(ServerResponse.prototype, { write, end });
    },
  };
}
