/** Selects a page of a node's records. */
export interface RecordQuery {
  /** Unix seconds, by the node's clock. */
  readonly sinceSeconds: number;
  /** `next` of the page before; absent for the first page. Opaque text. */
  readonly cursor?: string | undefined;
  /** How many records of the node one page reads, at most. An adapter may read fewer. */
  readonly limit?: number | undefined;
}

/** A page of a node's records. It may be empty although `next` is there. */
export interface RecordPage<T> {
  readonly records: readonly T[];
  /** The cursor of the next page; absent on the last page. */
  readonly next?: string | undefined;
}
