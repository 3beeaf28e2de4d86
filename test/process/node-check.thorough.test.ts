import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { scriptedLnd } from '../lightning/lnd/scripted-lnd.ts';
import { freePort } from '../support/free-port.ts';
import { runSatchel } from '../support/process.ts';

const openScripted = scriptedLnd();
/** The version of the format, and an identifier of one byte. */
const MACAROON_WITHOUT_PERMISSIONS = Buffer.from('02020103', 'hex');

const nodeCheck = (url: string) => runSatchel(['node', 'check'], { LIGHTNING_URL: url });

describe('satchel node check', () => {
  it('prints what a node is and supports, creates and cancels an invoice, and exits with 0', async () => {
    const { code, stdout } = await nodeCheck('fake:?seed=check');
    expect(stdout).toMatch(/Node +fake, “fake”, on regtest\n.*Public key +0[23][0-9a-f]{64}\n/);
    expect(stdout).toMatch(/Channels +1 active, 0 inactive\n +can send [\d,]+ and receive [\d,]+ sat\n/);
    expect(stdout).toContain('created and cancelled one of 1 sat');
    expect(stdout).not.toMatch(/^ *!/m);
    expect(code).toBe(0);
  });

  it('asks the running service about its playground, instead of starting another node', async () => {
    const answers = createServer((_request, response) => response.end(JSON.stringify({ status: 'ready', node: 'ok' })));
    await once(answers.listen(0, '127.0.0.1'), 'listening');
    const PORT = String((answers.address() as AddressInfo).port);
    const check = () => runSatchel(['node', 'check'], { LIGHTNING_URL: 'playground:', PORT });
    const found = await check();
    answers.close();
    expect(found.stdout).toMatch(/Node +the playground, .*\n +Service +answers at http:\/\/127\.0\.0\.1:\d+, and reports its node as ok/);
    expect(found.code).toBe(0);
    const stopped = await check();
    expect([stopped.code, stopped.output]).toEqual([2, expect.stringContaining('no service answers')]);
  });

  it('marks what fails, and exits with 1', async () => {
    const { code, stdout } = await nodeCheck('fake:?seed=check&lose-answer=1');
    expect(stdout).toMatch(/^ *! +Invoice +was not created or not cancelled/m);
    expect(code).toBe(1);
  });

  it('marks the settings of LND that can lose a channel or delay receipts, and names the remedy', async () => {
    // The recorded LND 0.21.2 stores no resolutions.
    const { url } = await openScripted({ parameters: '&keysends=held' });
    writeFileSync(new URL(url).searchParams.get('macaroon') ?? '', MACAROON_WITHOUT_PERMISSIONS);
    const { stdout } = await nodeCheck(url);
    expect(stdout).toMatch(/^ *! +Setting +set store-final-htlc-resolutions=true in lnd\.conf;/m);
    expect(stdout).toMatch(
      /^ *! +Setting +remove keysend-hold-time from lnd\.conf and keysends=held from LIGHTNING_URL; .* may fail for good$/m,
    );
  });

  it('names an unreachable node without its secret, and exits with 2', async () => {
    const { code, output } = await nodeCheck(`playground://127.0.0.1:${await freePort()}?secret=a-long-secret-text`);
    expect(output).toContain('cannot be reached');
    expect(output).not.toContain('a-long-secret-text');
    expect(code).toBe(2);
  });

  it('checks each of several nodes, also after one that cannot be reached', async () => {
    const away = `playground://127.0.0.1:${await freePort()}?secret=a-long-secret-text`;
    const { code, output } = await nodeCheck(`${away} fake:?seed=check`);
    expect(output).toMatch(/URL 1 of LIGHTNING_URL\n/);
    expect(output).toMatch(/The node was not checked: .*cannot be reached/);
    expect(output).toMatch(/URL 2 of LIGHTNING_URL\n(?:.*\n)*? +Invoice +created and cancelled/);
    expect(code).toBe(2);
  });

  it('says which URLs there are when it gets another, without repeating it', async () => {
    const { code, output } = await nodeCheck('lnd:secret-text');
    expect(output).toContain('LIGHTNING_URL');
    expect(output).not.toContain('secret-text');
    expect(code).toBe(2);
  });
});
