import { type KeyObject, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { headerLine, openLines } from './segment.ts';

export const SIZES = {
  /** A larger file is continued in another one. */
  fileBytes: 1_000_000,
  /** The oldest files beyond it are deleted. */
  totalBytes: 256_000_000,
  /** A file is kept for so long after all that it describes has ended. */
  keptSeconds: 30 * 86_400,
};

const FILE = /^recovery-\d{13}-[0-9a-f]{8}\.log$/;
const SINCE = /^complete-since-(\d{1,12})$/;

interface LogFolderOptions {
  readonly folder: string;
  readonly key: KeyObject;
  readonly clock: Clock;
  readonly log: Log;
  readonly sizes: typeof SIZES;
}

/** A file that this process appends to. */
export class OpenFile {
  readonly name: string;
  readonly #handle: FileHandle;
  bytes = 0;

  constructor(name: string, handle: FileHandle) {
    this.name = name;
    this.#handle = handle;
  }

  /** Appends text that survives a crash once this has resolved. */
  async append(text: string): Promise<void> {
    await this.#handle.appendFile(text);
    await this.#handle.sync();
    this.bytes += Buffer.byteLength(text);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** The files of the recovery log. The name of an empty file, `complete-since-<Unix seconds>`, states from when on all entries are there. */
export class LogFolder {
  readonly #options: LogFolderOptions;

  constructor(options: LogFolderOptions) {
    this.#options = options;
  }

  /** Creates the folder, and marks an empty one with the time from which the log is complete. */
  async begin(): Promise<void> {
    const { folder, clock } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await this.#completeSince()) === undefined) await this.#markComplete(unixSeconds(clock));
  }

  /** Returns the file to which the next entries are appended. */
  async continueOrOpen(current: OpenFile | undefined): Promise<OpenFile> {
    const { folder, clock, log, sizes } = this.#options;
    if (current && current.bytes <= sizes.fileBytes) return current;
    await current?.close();
    await this.begin();
    await this.#removeOld().catch((error) => log.warn({ reason: errorMessage(error) }, 'old files of the recovery log were not deleted'));
    const name = `recovery-${String(clock.nowMs()).padStart(13, '0')}-${randomBytes(4).toString('hex')}.log`;
    const file = new OpenFile(name, await open(join(folder, name), 'ax', 0o600));
    try {
      await file.append(headerLine());
      await syncFolder(folder);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  /** @throws when a file cannot be read */
  async readAll(): Promise<{ entries: unknown[]; damaged: number; completeSince: number | undefined }> {
    const entries: unknown[] = [];
    let damaged = 0;
    for (const { name } of await this.#files()) {
      const opened = await this.#read(name);
      damaged += opened.damaged;
      entries.push(...opened.entries);
    }
    return { entries, damaged, completeSince: await this.#completeSince() };
  }

  async #read(name: string) {
    const { folder, key } = this.#options;
    return openLines(key, name, await readFile(join(folder, name), 'utf8'));
  }

  async #completeSince(): Promise<number | undefined> {
    const times = (await this.#names()).map((name) => Number(SINCE.exec(name)?.[1])).filter(Number.isFinite);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  async #markComplete(since: number): Promise<void> {
    const { folder } = this.#options;
    await (await open(join(folder, `complete-since-${since}`), 'a', 0o600)).close();
    await syncFolder(folder);
    for (const name of await this.#names())
      if (Number(SINCE.exec(name)?.[1] ?? since) < since) await unlink(join(folder, name)).catch(() => undefined);
  }

  async #names(): Promise<string[]> {
    return readdir(this.#options.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
  }

  /** Returns the files, the oldest first. Another instance may delete one meanwhile. */
  async #files(): Promise<{ name: string; bytes: number; changedAt: number }[]> {
    const found = (await this.#names())
      .filter((name) => FILE.test(name))
      .sort()
      .map(async (name) => {
        const file = await stat(join(this.#options.folder, name)).catch(() => undefined);
        return file ? [{ name, bytes: file.size, changedAt: file.mtimeMs / 1000 }] : [];
      });
    return (await Promise.all(found)).flat();
  }

  /** Deletes files whose entries ended long ago, and the oldest ones beyond the largest size of all. */
  async #removeOld(): Promise<void> {
    const { folder, clock, sizes } = this.#options;
    const keptSince = unixSeconds(clock) - sizes.keptSeconds;
    const all = await this.#files();
    let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { name, bytes, changedAt } of all) {
      const isTooMuch = total > sizes.totalBytes;
      if (!isTooMuch && changedAt > keptSince) continue;
      const times = (await this.#read(name)).entries as { readonly at: number; readonly until: number }[];
      if (!isTooMuch && times.some(({ until }) => until > keptSince)) continue;
      // The name says what will be missing before it is.
      await this.#markComplete(Math.max((await this.#completeSince()) ?? 0, ...times.map(({ at }) => at + 1)));
      await unlink(join(folder, name));
      total -= bytes;
    }
  }
}

/** Makes new names in a folder survive a crash. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
