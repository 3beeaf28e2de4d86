import { NodeUnavailable } from '../node.ts';
import type { ClnRpc } from './rpc.ts';

/** The first version whose behavior was verified. */
const MIN_VERSION = [26, 6] as const;
/** The records without which the adapter would pay twice, or would take a paid invoice for an unknown one. */
const KEPT = ['succeededpays', 'failedpays', 'paidinvoices', 'expiredinvoices'] as const;

/**
 * Checks the version and the settings of the node that are required to keep money safe.
 * @throws NodeUnavailable that names what to change.
 */
export async function requireSettings(rpc: ClnRpc, version: string): Promise<void> {
  const [, year = '0', month = '0'] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(year) < MIN_VERSION[0] || (Number(year) === MIN_VERSION[0] && Number(month) < MIN_VERSION[1]))
    throw new NodeUnavailable(`the node runs Core Lightning ${version}; version 26.06 or later is required`);
  // The plugin `offers` provides the command `decode`. Two simultaneous payments of one invoice abort a node that runs this plugin, and
  // abort it again at each start. Source: https://github.com/ElementsProject/lightning/issues/7075
  if (await rpc.hasCommand('decode')) {
    throw new NodeUnavailable(
      'the node runs the plugin offers, with which simultaneous payments of one invoice stop it permanently; ' +
        'add the line disable-plugin=offers to the config of lightningd and restart it',
    );
  }
  // The plugin `autoclean` may be disabled.
  if (!(await rpc.hasCommand('autoclean-status'))) return;
  const { autoclean } = await rpc.call('autoclean-status');
  const cleaned = KEPT.filter((name) => autoclean[name]?.enabled);
  if (cleaned.length > 0) {
    const settings = cleaned.map((name) => `autoclean-${name}-age`).join(', ');
    throw new NodeUnavailable(`the node deletes records that this service needs; remove ${settings} from the config of lightningd`);
  }
}
