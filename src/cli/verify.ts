import type { Command } from 'commander';
import { counted } from '../core/kernel/counted.ts';
import { EXIT, localAction, verb } from './verb.ts';

/** `satchel verify`: checks the whole ledger and prints the trial balance. */
export function addVerify(program: Command): void {
  verb(program, {
    name: 'verify',
    summary: 'Check the ledger with itself',
    details:
      'It reads every entry, hash, balance and hold from the database, while the service may run. It takes no lock and writes nothing.',
    example: 'verify',
  }).action(
    localAction('The ledger was not verified: ', async ({ output }) => {
      const [{ withDatabase }, { verify }] = await Promise.all([import('./database.ts'), import('../features/verify/verify.ts')]);
      const verified = await withDatabase({ readOnly: true }, (database) =>
        verify(database, (done, total) => output.progress(`${done} of ${total} checked`)),
      );
      output.progress('');
      const { problems, transfers, wallets, trialBalance } = verified;
      const balances = [...trialBalance].map(([kind, amount]) => `${kind.padEnd(18)} ${String(amount).padStart(22)} msat\n`);
      const result =
        problems.length === 0
          ? 'The ledger is clean.'
          : `${counted(problems.length, 'problem')}:\n${problems.map((one) => `- ${one}`).join('\n')}`;
      await output.print(
        {
          problems,
          transfers,
          wallets,
          trial_balance_msat: Object.fromEntries([...trialBalance].map(([kind, amount]) => [kind, String(amount)])),
        },
        `${counted(transfers, 'transfer')} over ${counted(wallets, 'wallet')}\n\n${balances.join('')}\n${result}`,
      );
      return problems.length === 0 ? EXIT.done : EXIT.refused;
    }),
  );
}
