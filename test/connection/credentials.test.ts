import { expect, it } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { connectNodes } from '../../src/core/connection/connections.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import type { Log } from '../../src/core/kernel/log.ts';
import type { CredentialReport } from '../../src/core/lightning/credential-report.ts';
import type { LightningNode } from '../../src/core/lightning/node.ts';
import { onBothDatabases } from '../support/ledger.ts';

const EXACT: CredentialReport = { missing: [], excessive: [], command: 'create' };

onBothDatabases('the credential of a node, when the service starts,', (open) => {
  /** Returns what the start logs about a node with this credential. */
  async function logged(checkCredential: LightningNode['checkCredential']): Promise<string[]> {
    const lines: string[] = [];
    const write = (level: string) => (fields: object, message: string) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const log: Log = { info: () => undefined, warn: write('warn'), error: write('error') };
    const database = await open();
    const node: LightningNode = Object.assign(new FakeNetwork({ seed: 'credential' }).connect(), checkCredential && { checkCredential });
    const alerts = createAlerts(database, systemClock, log);
    await connectNodes({ database, nodes: [node], alerts, onRestore: async () => undefined, clock: systemClock, log });
    return lines;
  }

  it('is a warning if it permits more than the service needs, as an admin macaroon does', async () => {
    const lines = await logged(async () => ({ ...EXACT, excessive: ['send on-chain payments'] }));
    expect(lines).toEqual([
      expect.stringMatching(/^warn .*permits more than the service needs; satchel node check.*send on-chain payments/),
    ]);
  });

  it('is an error if it lacks a permission', async () => {
    const lines = await logged(async () => ({ ...EXACT, missing: ['/routerrpc.Router/SendPaymentV2'] }));
    expect(lines).toEqual([
      expect.stringMatching(/^error .*does not permit calls that the service needs; satchel node check.*SendPaymentV2/),
    ]);
  });

  it('is not mentioned if it is exact, absent or cannot be read', async () => {
    expect(await logged(async () => EXACT)).toEqual([]);
    expect(await logged(undefined)).toEqual([]);
    expect(await logged(() => Promise.reject(new Error('no such file')))).toEqual([]);
  });
});
