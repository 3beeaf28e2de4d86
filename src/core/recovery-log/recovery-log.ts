import { hkdfSync } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { wrapKey } from '../kernel/crypto.ts';
import type { Log } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { LogFolder, type OpenFile, SIZES } from './log-folder.ts';
import { sealLine } from './segment.ts';

/** What every entry has. Times are Unix seconds. */
interface EntryTimes {
  readonly at: number;
  /** When what it describes has ended at the latest. */
  readonly until: number;
}

/** A hold invoice, before it is created at the node. */
export interface HoldInvoiceEntry extends EntryTimes {
  readonly kind: 'hold_invoice';
  /** `lntx_…` */
  readonly id: string;
  readonly walletId: string;
  /** The node's public key in hex. */
  readonly nodePubkey: string;
  readonly paymentHash: string;
  readonly amountMsat?: Msat | undefined;
  readonly memo: string;
  readonly descriptionHash?: string | undefined;
  readonly expirySeconds: number;
  readonly statusKey: string;
  readonly passThru?: string | undefined;
  readonly fiat?: string | undefined;
}

/** The node has refused a hold invoice, because another program has one with its payment hash: that one must never be taken over. */
export interface HoldInvoiceRefusedEntry extends EntryTimes {
  readonly kind: 'hold_invoice_refused';
  readonly id: string;
}

/** Readers ignore other kinds, which a later version may have written. */
export type RecoveryEntry = HoldInvoiceEntry | HoldInvoiceRefusedEntry;

/** What was read from all files. */
export interface RecoveryRecords {
  readonly entries: readonly RecoveryEntry[];
  /** Lines that could not be read. */
  readonly damaged: number;
  /** Unix seconds. Entries from before may be missing. Undefined: the folder has never had a log. */
  readonly completeSince: number | undefined;
}

export interface RecoveryLogOptions {
  /** A folder in the folder of backups, which are older than what this log is for. */
  readonly folder: string;
  /** The bytes of SECRET_KEY. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
  /** Smaller in tests. */
  readonly sizes?: Partial<typeof SIZES>;
}

export type RecoveryLog = ReturnType<typeof createRecoveryLog>;

/**
 * What must survive the loss of the database, because the node does not record which wallet it is for. Entries are appended to encrypted files beside
 * the backups. Each process writes its own files, so several instances may share the folder, and a line that a crash has cut off is never continued.
 */
export function createRecoveryLog({ folder, secretKey, clock, log, sizes }: RecoveryLogOptions) {
  const key = wrapKey(new Uint8Array(hkdfSync('sha256', secretKey, new Uint8Array(), 'satchel recovery log, version 1', 32)));
  const files = new LogFolder({ folder, key, clock, log, sizes: { ...SIZES, ...sizes } });
  let current: OpenFile | undefined;
  let waiting: { readonly entry: RecoveryEntry; resolve(): void; reject(error: unknown): void }[] = [];
  let isWriting = false;
  let writing = Promise.resolve();

  /** Writes all waiting entries with one fsync, until none is left. */
  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        current = await files.continueOrOpen(current);
        await current.append(batch.map(({ entry }) => sealLine(key, current?.name ?? '', entry)).join(''));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        // A line may be incomplete, so the next entries go to another file.
        await current?.close().catch(() => undefined);
        current = undefined;
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  }

  return {
    folder,

    /** Begins the log, so that a later restore knows from when on it is complete. @throws when the folder cannot be written to */
    begin: (): Promise<void> => files.begin(),

    /** Appends an entry. It survives a crash and the loss of the database once this has resolved. @throws when it could not be stored */
    append(entry: RecoveryEntry): Promise<void> {
      return new Promise<void>((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
        if (!isWriting) writing = write();
      });
    },

    /** Reads the entries of all files since a time, in Unix seconds. @throws when a file cannot be read */
    async read(sinceSeconds: number): Promise<RecoveryRecords> {
      const { entries, damaged, completeSince } = await files.readAll();
      return { entries: (entries as readonly RecoveryEntry[]).filter(({ at }) => at >= sinceSeconds), damaged, completeSince };
    },

    /** Waits for the entries that are being written. */
    async close(): Promise<void> {
      await writing;
      await current?.close();
      current = undefined;
    },
  };
}
