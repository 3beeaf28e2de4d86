import type { DeliveryRow } from './deliveries.sql.ts';
import type { PlacedEvent } from './log-place.ts';

/** An event that was read from the log and is being delivered for the first time. */
export interface Fresh {
  readonly event: PlacedEvent;
  body: Promise<string> | undefined;
  /** Whether its result was passed on, to be written with the next ones. */
  isRecorded: boolean;
}

/** A waiting delivery. Its body is undefined if the event has expired. */
export interface LoadedRow {
  readonly row: DeliveryRow;
  readonly body: string | undefined;
}

/** The deliveries to an endpoint that are sent one after the other: rows that wait, then events from the log. */
export class Lane {
  readonly key: string;
  /** Events from the log, oldest first. */
  readonly fresh: Fresh[] = [];
  /** When the first waiting row is due; undefined: no rows wait. */
  dueMs: number | undefined;
  /** The first waiting rows. */
  rows: LoadedRow[] = [];
  /** Whether the last read returned all waiting rows. */
  hasAllRows = false;
  /** Whether, and how many, rows were added after the last read of the rows. */
  addedSinceLoad = 0;
  isRunning = false;
  /** Whether it is in the endpoint's list of ready lanes. */
  isReady = false;

  constructor(key: string) {
    this.key = key;
  }

  get isEmpty(): boolean {
    return !this.isRunning && !this.isReady && this.dueMs === undefined && this.fresh.length === 0;
  }
}
