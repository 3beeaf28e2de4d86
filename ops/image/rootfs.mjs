// Runs while the image is built: copies Node and the libraries that it has loaded to a folder that becomes the root of the image.
import { chmodSync, copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = process.argv[2];

/** Libraries without a path are of the kernel. */
const libraries = process.report.getReport().sharedObjects.filter((path) => path.startsWith('/'));
for (const path of libraries) write(path, (file) => copyFileSync(realpathSync(path), file), 0o755);
write('/usr/local/bin/node', (file) => copyFileSync(process.execPath, file), 0o755);
write('/usr/local/bin/satchel', (file) => writeFileSync(file, "#!/usr/local/bin/node\nimport '/app/dist/src/cli/satchel.js';\n"), 0o755);
write('/etc/passwd', (file) => writeFileSync(file, 'satchel:x:10001:10001::/data:/none\n'), 0o644);
write('/etc/group', (file) => writeFileSync(file, 'satchel:x:10001:\n'), 0o644);
// The default of the C library asks DNS before /etc/hosts.
write('/etc/nsswitch.conf', (file) => writeFileSync(file, 'hosts: files dns\n'), 0o644);
mkdirSync(join(root, 'tmp'));
chmodSync(join(root, 'tmp'), 0o1777);

function write(path, create, mode) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  create(file);
  chmodSync(file, mode);
}
