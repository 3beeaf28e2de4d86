import { Command } from 'commander';
import { addAccount } from './account.ts';
import { addAlerts } from './alerts.ts';
import { addApp } from './app.ts';
import { addBackup } from './backup.ts';
import { addCompletion } from './completion.ts';
import { addDoctor } from './doctor.ts';
import { addExport } from './export.ts';
import { addFiatRate } from './fiat-rate.ts';
import { addHeld } from './held.ts';
import { addImport } from './import.ts';
import { addKey } from './key.ts';
import { addLoginLink } from './login-link.ts';
import { addMigrate } from './migrate.ts';
import { addMove } from './move.ts';
import { addNode } from './node.ts';
import { addPayment } from './payment.ts';
import { addPlayground } from './playground.ts';
import { addProof } from './proof.ts';
import { addReconcile } from './reconcile.ts';
import { addRestore } from './restore.ts';
import { addServe } from './serve.ts';
import { addSuspense } from './suspense.ts';
import { addVerify } from './verify.ts';
import { addVersion } from './version.ts';
import { addWallet } from './wallet.ts';
import { addWithdrawals } from './withdrawals.ts';

/** The commands, in the order and the groups of the help. A new one is a module with such a function. */
const GROUPS: readonly [title: string, commands: readonly ((program: Command) => void)[]][] = [
  ['Run', [addServe, addDoctor, addAlerts, addMigrate, addNode, addPlayground]],
  ['Backup', [addBackup, addRestore, addMove, addImport]],
  ['Customers', [addAccount, addWallet, addKey, addApp, addLoginLink, addExport]],
  ['Money', [addPayment, addWithdrawals, addSuspense, addHeld, addReconcile, addVerify, addProof, addFiatRate]],
  ['Other', [addCompletion, addVersion]],
];

/** Returns the tree of all commands. */
export function createProgram(): Command {
  const program = new Command('satchel')
    .description('Run a Lightning wallet service and manage it. Without a command: serve.')
    .option('-V, --version', 'print the version')
    .showHelpAfterError('See `satchel --help`.')
    .addHelpCommand(new Command('help').argument('[command...]').summary('Show the help of a command').helpGroup('Other:'))
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: HELP_WIDTH, subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(withoutSecrets(sentenceOf(text))) })
    .exitOverride()
    .addHelpText('after', FOOTER);
  for (const [title, commands] of GROUPS) {
    program.commandsGroup(`${title}:`);
    for (const add of commands) add(program);
  }
  for (const command of program.commands) command.helpCommand(false);
  return program;
}

const HELP_WIDTH = 80;

const FOOTER = `
Commands read the same settings as the service: DATA_DIR, HOST, PORT and so on.
Exit codes: 0 done, 1 refused or differences, 2 not done, 3 not ended yet.

Example:
  satchel payment list`;

/** Turns an error of the library, such as "error: unknown option\n(Did you mean …?)", into sentences. */
function sentenceOf(text: string): string {
  const [first = '', ...others] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  const hints = others.map((one) => ` ${one.replace(/^\((.*)\)$/, '$1')}`);
  return `${first.slice(0, 1).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.${hints.join('')}\n`;
}

/** An argument in the wrong place may be a key. */
function withoutSecrets(text: string): string {
  return text.replace(/[0-9A-Za-z_+/=-]{20,}/g, (word) => `${word.slice(0, 4)}…`);
}
