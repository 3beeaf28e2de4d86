import { verify } from '../features/verify/verify.ts';
import { readArguments, runCommand, withDatabase } from './command.ts';
import { counted } from './table.ts';

/** `npm run verify`: checks the whole ledger and prints the trial balance. Exits with 1 if there are problems, with 2 if it could not run. */
async function main(): Promise<void> {
  readArguments('npm run verify', {});
  const verified = await withDatabase({ readOnly: true }, (database) => verify(database, showProgress));
  const { problems, transfers, wallets, trialBalance } = verified;
  process.stdout.write(`\n${counted(transfers, 'transfer')} over ${counted(wallets, 'wallet')}\n\n`);
  for (const [kind, balanceMsat] of trialBalance) process.stdout.write(`${kind.padEnd(14)} ${String(balanceMsat).padStart(22)} msat\n`);
  process.stdout.write(
    problems.length === 0
      ? '\nThe ledger is clean.\n'
      : `\n${counted(problems.length, 'problem')}:\n${problems.map((p) => `- ${p}\n`).join('')}`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

const BAR_WIDTH = 40;

function showProgress(done: number, total: number): void {
  if (!process.stdout.isTTY) return;
  const filled = total === 0 ? BAR_WIDTH : Math.round((done / total) * BAR_WIDTH);
  process.stdout.write(`\r[${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${done}/${total}`);
}

runCommand('The ledger was not verified: ', main);
