import { readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, fail, ok, warn } from './finding.ts';

const GIB = 2 ** 30;

/** A full disk stops payments. The log of the database alone may grow by this much. */
const FEW_BYTES = GIB / 8;
const SOME_BYTES = GIB;

/** Files that others may not read: keys, and databases with preimages and signing secrets. */
const SECRET_FILES = /^(first-key|setup-link|secret-key|playground-secret|.*\.(db|db-wal|db-shm|macaroon|rune))$/;

const OTHERS = 0o077;

/** Checks that only the service's user can read the data directory and its secrets. */
export function checkFiles(dataDir: string): Finding[] {
  let folder: Stats;
  let files: string[];
  try {
    folder = statSync(dataDir);
    files = readdirSync(dataDir).filter((name) => SECRET_FILES.test(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const text = `DATA_DIR cannot be read (${code})`;
    return [
      fail(
        'files',
        text,
        'The user that runs the service must own DATA_DIR. Run `satchel doctor` as that user, with the same DATA_DIR. The first start creates the folder.',
      ),
    ];
  }
  // A file may be deleted meanwhile.
  const modeOf = (name: string): number => statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0;
  const open = files.filter((name) => (modeOf(name) & OTHERS) !== 0);
  if (open.length > 0) {
    const remedy = `Run \`chmod 600\` on them. If others use this machine, replace the secrets.`;
    return [fail('files', `other users may read ${open.join(', ')} in DATA_DIR`, remedy)];
  }
  if ((folder.mode & OTHERS) !== 0) return [warn('files', 'other users may open DATA_DIR', `Run \`chmod 700\` on ${dataDir}.`)];
  return [ok('files', 'only their owner can read DATA_DIR and its secrets')];
}

/** Checks the free space of the file system of the data directory. */
export function checkDisk(dataDir: string): Finding[] {
  try {
    const { bavail, blocks, bsize } = statfsSync(dataDir);
    return [judgeDisk(bavail * bsize, blocks * bsize)];
  } catch {
    // The check of the files reports why.
    return [];
  }
}

export function judgeDisk(freeBytes: number, totalBytes: number): Finding {
  const text = `${(freeBytes / GIB).toFixed(1)} of ${(totalBytes / GIB).toFixed(1)} GiB are free in DATA_DIR`;
  const remedy = 'Free some space or enlarge the disk: a full disk stops payments.';
  if (freeBytes < FEW_BYTES) return fail('disk', text, remedy);
  return freeBytes < SOME_BYTES ? warn('disk', text, remedy) : ok('disk', text);
}

/** File systems over a network (NFS, SMB, CIFS, SMB2, 9P, FUSE), by their numbers in Linux's `magic.h`. Their locks may not hold. */
const NETWORK_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

/** Checks the file system of an SQLite database. */
export function checkFileSystem(path: string): Finding[] {
  const { type } = statfsSync(path);
  if (!NETWORK_FILE_SYSTEMS.has(type)) return [ok('database', 'its file is on a local file system')];
  const remedy = 'Move DATA_DIR to a local disk, or use PostgreSQL: locks over a network can fail and damage the file.';
  return [fail('database', 'its file is on a network file system', remedy)];
}
