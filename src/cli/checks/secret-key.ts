import type { Config } from '../../config.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { type Finding, fail, ok, warn } from '../../features/operator/checks/finding.ts';
import { findSecretKey, requireSecretKey } from '../../secret-key.ts';
import { withDatabase } from '../database.ts';

const REMEDY = 'Set SECRET_KEY to the key with which the service started on this database, or restore DATA_DIR/secret-key.';

/** Checks that the secret key is that of the database: another one cannot read what is sealed in it, and the service does not start. */
export async function checkSecretKey(config: Config): Promise<{ findings: Finding[] }> {
  try {
    const key = await findSecretKey(config);
    // Another check reports a database that cannot be read.
    const problem = await withDatabase({ readOnly: true, hasAnySchema: true }, async (database) =>
      key === undefined ? undefined : requireSecretKey(database, key).then(() => '', errorMessage),
    ).catch(() => undefined);
    if (key === undefined) return { findings: [warn('secret key', 'there is none yet', `${REMEDY} The first start creates one.`)] };
    if (problem === undefined) return { findings: [] };
    if (problem === '') return { findings: [ok('secret key', 'it is that of the database')] };
    return { findings: [failed(problem)] };
  } catch (error) {
    return { findings: [failed(errorMessage(error))] };
  }
}

/** The message of an error is a sentence on the problem, and sentences on the remedy. */
function failed(message: string): Finding {
  const [problem = '', ...remedy] = message.split(/(?<=\.) /);
  return fail('secret key', problem.replace(/\.$/, ''), remedy.join(' ') || REMEDY);
}
