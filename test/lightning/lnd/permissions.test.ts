import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { permitsHoldInvoices, reportPermissions } from '../../../src/core/lightning/lnd/permissions.ts';

// Macaroons of a regtest node of LND 0.21.2 that no longer exists: one that was made with the printed
// command, to which three calls were added later, and two that LND makes itself.
const EXACT = [
  '0201036c6e6402ae04030a101f250ea370b0d6d040b70f5e5fd5450e1201301a95040a0375726912232f696e766f696365737270632e496e766f69',
  '6365732f43616e63656c496e766f696365121b2f6c6e7270632e4c696768746e696e672f416464496e766f696365121f2f6c6e7270632e4c696768',
  '746e696e672f4368616e6e656c42616c616e636512182f6c6e7270632e4c696768746e696e672f476574496e666f121d2f6c6e7270632e4c696768',
  '746e696e672f4c6973744368616e6e656c73121d2f6c6e7270632e4c696768746e696e672f4c697374496e766f69636573121d2f6c6e7270632e4c',
  '696768746e696e672f4c6973745061796d656e747312252f6c6e7270632e4c696768746e696e672f4c6f6f6b757048746c635265736f6c7574696f',
  '6e121e2f6c6e7270632e4c696768746e696e672f4c6f6f6b7570496e766f69636512202f6c6e7270632e4c696768746e696e672f50656e64696e67',
  '4368616e6e656c73121c2f6c6e7270632e4c696768746e696e672f5175657279526f7574657312222f6c6e7270632e4c696768746e696e672f5375',
  '62736372696265496e766f69636573121f2f726f757465727270632e526f757465722f53656e645061796d656e74563212252f726f757465727270',
  '632e526f757465722f53756273637269626548746c634576656e747312202f726f757465727270632e526f757465722f547261636b5061796d656e',
  '745632121f2f726f757465727270632e526f757465722f547261636b5061796d656e7473000006209dd1cde3877433b3e968e6aace9d3b3955de66',
  'a2c423c93ce1372c6efc565331',
].join('');
const ADMIN = [
  '0201036c6e6402f801030a1019250ea370b0d6d040b70f5e5fd5450e1201301a160a0761646472657373120472656164120577726974651a130a0469',
  '6e666f120472656164120577726974651a170a08696e766f69636573120472656164120577726974651a210a086d616361726f6f6e120867656e6572',
  '617465120472656164120577726974651a160a076d657373616765120472656164120577726974651a170a086f6666636861696e1204726561641205',
  '77726974651a160a076f6e636861696e120472656164120577726974651a140a057065657273120472656164120577726974651a180a067369676e65',
  '72120867656e6572617465120472656164000006209f0adb3fb07e7da2d23c098259fa04e995026a359eadf4433145ba1384147aa4',
].join('');
const READONLY = [
  '0201036c6e6402ac01030a1018250ea370b0d6d040b70f5e5fd5450e1201301a0f0a07616464726573731204726561641a0c0a04696e666f12047265',
  '61641a100a08696e766f696365731204726561641a100a086d616361726f6f6e1204726561641a0f0a076d6573736167651204726561641a100a086f',
  '6666636861696e1204726561641a0f0a076f6e636861696e1204726561641a0d0a0570656572731204726561641a0e0a067369676e65721204726561',
  '6400000620b2c1face44c093c2d28a52efaafade7b5cd468fc75008ac9aeb9f1a13d3e858e',
].join('');

const report = (hex: string, holdsKeysends = false) => reportPermissions(Buffer.from(hex, 'hex'), holdsKeysends);

describe('the permissions of a macaroon', () => {
  it('are exactly what the service needs in one that the printed command made', () => {
    const { missing, excessive, command } = report(EXACT);
    expect([missing, excessive]).toEqual([[], []]);
    expect(command).toMatch(/^lncli bakemacaroon --save_to satchel\.macaroon uri:\/lnrpc\.Lightning\/GetInfo /);
  });

  it('lack the settlement of keysends that the node holds, and the command then includes it', () => {
    const { missing, command } = report(EXACT, true);
    expect(missing).toEqual(['/invoicesrpc.Invoices/SettleInvoice']);
    expect(command).toContain('uri:/invoicesrpc.Invoices/SettleInvoice');
  });

  it('are more than needed in admin.macaroon, in words', () => {
    expect(report(ADMIN, true)).toMatchObject({
      missing: [],
      excessive: ['send on-chain payments', 'open and close channels', 'create other macaroons', 'sign with the keys of the node'],
    });
  });

  it('decide whether hold invoices are offered', () => {
    const permits = (hex: string) => permitsHoldInvoices(Buffer.from(hex, 'hex'));
    expect([permits(ADMIN), permits(READONLY), permits(EXACT)]).toEqual([true, false, false]);
  });

  it('permit neither invoices nor payments in readonly.macaroon', () => {
    expect(report(READONLY).missing).toEqual([
      '/lnrpc.Lightning/AddInvoice',
      '/invoicesrpc.Invoices/CancelInvoice',
      '/routerrpc.Router/SendPaymentV2',
    ]);
  });

  it.each([
    ['empty', ''],
    ['text', Buffer.from('not a macaroon').toString('hex')],
    ['cut off', EXACT.slice(0, 60)],
    ['without an identifier', '0200'],
    ['of another program', '02010362616b0203010203'],
  ])('are not read from bytes that are %s', (_case, hex) => {
    expect(() => report(hex)).toThrow(/^the macaroon/);
  });
});

it.each(['docs/lightning/lnd.md', 'devnet/regtest.sh'])('%s has the command that creates the macaroon', (page) => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', page), 'utf8');
  const [, permissions = ''] = /satchel\.macaroon (.*)$/.exec(report(ADMIN, true).command) ?? [];
  expect(permissions).toContain('uri:/lnrpc.Lightning/GetInfo');
  expect(text).toContain(permissions);
});
