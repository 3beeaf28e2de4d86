import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../../core/kernel/crypto.ts';
import { BackupFailed, type Manifest } from './manifest.ts';

/**
 * Returns the authentication code of a manifest, which contains the hash of the archive: only a holder of SECRET_KEY can compute it, so only
 * the service can have written both.
 */
export function originOf(manifest: Manifest, secretKey: Uint8Array): string {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, new Uint8Array(), 'satchel backup manifests, version 1', 32));
  const { mac: _, ...described } = manifest;
  return hmacSha256(key, canonical(described)).toString('hex');
}

/** JSON with the names in order, so that the code does not depend on how the file is written. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/**
 * Checks that a service with this SECRET_KEY wrote the backup. An attacker who can write to the folder of the backups could replace it.
 * @throws BackupFailed
 */
export function requireOrigin(manifest: Manifest, secretKey: Uint8Array | undefined): void {
  const accept = 'To restore it nevertheless, add --unchecked-origin.';
  if (!secretKey)
    throw new BackupFailed(
      `Without the secret key it is not checked which service wrote the backup. Put it back first (SECRET_KEY, or DATA_DIR/secret-key). ${accept}`,
    );
  if (manifest.mac === undefined)
    throw new BackupFailed(`The manifest has no authentication code, so anyone can have written the backup. Choose another one. ${accept}`);
  if (timingSafeEqual(Buffer.from(manifest.mac, 'hex'), Buffer.from(originOf(manifest, secretKey), 'hex'))) return;
  throw new BackupFailed(
    'No service with this secret key wrote the backup: it was changed, or SECRET_KEY (or DATA_DIR/secret-key) is that of another service. ' +
      `Choose another backup, or use the key of its service. ${accept}`,
  );
}
