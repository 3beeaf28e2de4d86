/**
 * Draws docs/terminal.svg, the picture in the README, from a real session: starts the service with `npm start` in a terminal, runs the
 * commands below and prints their output as it came. Identifiers, keys and long lines are shortened. Run it by hand with
 * `npm run readme-picture`; it needs bash, curl, `script` from util-linux, and port 4021.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');
const COLUMNS = 112;

interface Line {
  readonly text: string;
  readonly color: string;
}

const OUTPUT = '#9aa7b8';
const COMMAND = '#e8edf4';
const COMMENT = '#6cc4a1';

const dataDir = mkdtempSync(join(tmpdir(), 'satchel-picture-'));
const settings = { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
// The keys are printed to a terminal only; `script` provides one.
const service = spawn('script', ['-qec', 'npm start', '/dev/null'], { cwd: ROOT, env: settings, detached: true });
let printed = '';
service.stdout.on('data', (text) => {
  printed += text;
});

try {
  while (!printed.includes('Try it:')) {
    if (service.exitCode !== null) throw new Error(`The service ended before it was ready:\n${printed}`);
    await delay(100);
  }
  writeFileSync(join(ROOT, 'docs', 'terminal.svg'), draw(session()));
} finally {
  if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
  await delay(2000);
  rmSync(dataDir, { recursive: true, force: true });
}

function session(): Line[] {
  const [secretKey = ''] = readFileSync(join(dataDir, 'first-key'), 'utf8').split('\n');
  const variables: Record<string, string> = { URL: 'http://127.0.0.1:4021', H: `X-Api-Key: ${secretKey}` };
  const start = printed.replaceAll('\r', '').split('\n');
  const greeting = start.slice(
    start.findIndex((line) => line.includes('Satchel is ready')),
    start.findIndex((line) => line.includes('Try it:')),
  );
  const lines: Line[] = [...typed('npm start'), ...output(greeting.filter((line) => line !== '').join('\n'))];

  /** Adds a command to the session. @returns its output. */
  function run(command: string, comment: string): string {
    const result = execFileSync('bash', ['-c', command], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...settings, ...variables },
    });
    lines.push({ text: '', color: OUTPUT }, { text: `# ${comment}`, color: COMMENT }, ...typed(command), ...output(result));
    return result;
  }
  function set(name: string, value: string): void {
    variables[name] = value;
    lines.push(...typed(`${name}=${value}`));
  }

  lines.push({ text: '', color: OUTPUT }, ...typed(`URL=${variables.URL}; H="${variables.H}"`));
  set('WALLET', fieldOf(run('curl -s $URL/v1/wallet -H "$H" -d user_label=alma', 'create a wallet'), 'id'));
  run('curl -s $URL/playground/fund -H "$H" -d wallet_id=$WALLET -d num_satoshis=5000', 'another Lightning node pays 5,000 sat into it');
  set(
    'BILL',
    fieldOf(
      run('curl -s $URL/playground/invoice -H "$H" -d num_satoshis=1000 -d at=carol', 'a third node requests 1,000 sat'),
      'payment_request',
    ),
  );
  run(
    'curl -s -w "%{http_code}" -o /dev/null $URL/v1/wallet/$WALLET/withdraw -H "$H" -d payment_request=$BILL',
    'pay it: 201 is paid, 202 is pending and reserved, a 4xx has paid nothing',
  );
  run(
    'curl -s "$URL/v1/wallet/$WALLET/transactions?per-page=2&fields=num_satoshis,wtxType.name" -H "$H"',
    'the routing fee has its own row',
  );
  run('npm run --silent verify', 'check every entry, hash and hold');
  return lines;
}

function fieldOf(json: string, name: string): string {
  const value = (JSON.parse(json) as Record<string, unknown>)[name];
  if (typeof value !== 'string') throw new Error(`The response has no ${name}: ${json}`);
  return value;
}

function typed(command: string): Line[] {
  return [{ text: `$ ${shorten(command)}`, color: COMMAND }];
}

function output(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => ({ text: shorten(line), color: OUTPUT }));
}

/** Shortens keys, ids, hashes and invoices, then the line. */
function shorten(line: string): string {
  const short = line
    .replace(/\b((?:sak|pak|wal|wtx|lntx|acc|key)_\w{4})\w{8,}/g, '$1…')
    .replace(/(setup#.{4}).+/, '$1…')
    .replace(/\b([0-9a-f]{6})[0-9a-f]{58,}\b/g, '$1…')
    .replace(/\b(lnbcrt\w{6})\w{40,}/g, '$1…');
  return short.length > COLUMNS ? `${short.slice(0, COLUMNS - 1)}…` : short;
}

function draw(lines: readonly Line[]): string {
  const [advance, height, margin, top] = [7.8, 19, 20, 48];
  const size = { width: Math.round(COLUMNS * advance + 2 * margin), height: top + lines.length * height + 8 };
  const texts = lines.map(({ text, color }, i) =>
    text === ''
      ? ''
      : `<text x="${margin}" y="${top + (i + 0.5) * height}" fill="${color}" textLength="${(text.length * advance).toFixed(1)}" xml:space="preserve">${escaped(text)}</text>\n`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<title>A terminal session: npm start, a wallet, a payment, and npm run verify</title>
<rect width="100%" height="100%" rx="10" fill="#161c26"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
${texts.join('')}</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
