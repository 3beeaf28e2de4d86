import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { withTimeout } from '../core/kernel/clock.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { satToMsat } from '../core/kernel/money.ts';
import type { CredentialReport, LightningNode, NodeInfo } from '../core/lightning/node.ts';
import { paymentHashOf } from '../core/lightning/payment-hash.ts';
import { sumChannels } from '../features/operator/channels-object.ts';
import { openNode } from '../open-node.ts';
import { exitWithUsage, readArguments, runCommand, stderrLog } from './command.ts';
import { grouped, table } from './table.ts';

const USAGE = `npm run node-check -- [<URL of a Lightning node>]

Connects to a node and prints what it is, what it supports, and what its credential permits; then creates and cancels an invoice of 1 sat.
Changes nothing else. Without a URL, it checks each node of LIGHTNING_URL, so that a URL with a secret need not be on the command line.
Lines with ! need a change. Exit code 0: the service can use the nodes. 1: something is missing or excessive. 2: a node was not checked.`;

const READY = 0;
const INCOMPLETE = 1;
const NOT_CHECKED = 2;

const ANSWER_MS = 10_000;
const INVOICE_SECONDS = 60;

/** What was found, in the order in which it is printed: a heading and its text. `isGood` is false for what the operator should change. */
interface Finding {
  readonly heading: string;
  readonly text: string;
  readonly isGood: boolean;
}

/** `npm run node-check`: shows whether the service can use its Lightning nodes, before it is given them. */
async function main(): Promise<void> {
  const { words } = readArguments(USAGE, {}, 1);
  const [url] = words;
  if (url === '') exitWithUsage(USAGE);
  const { lightningUrls } = readConfig({ ...process.env, ...(url && { LIGHTNING_URL: url }) });
  const exitCodes = [];
  for (const [index, one] of lightningUrls.entries()) {
    if (lightningUrls.length > 1) process.stdout.write(`${index === 0 ? '' : '\n'}URL ${index + 1} of LIGHTNING_URL\n`);
    exitCodes.push(await checkUrl(one));
  }
  process.exitCode = Math.max(...exitCodes);
}

/** Prints what is found at a URL. @returns the exit code */
async function checkUrl(lightningUrl: string): Promise<number> {
  // A playground in this folder would always be ready, so checking it makes no sense.
  const dataDir = await mkdtemp(join(tmpdir(), 'satchel-node-check-'));
  try {
    const { node } = await openNode({ lightningUrl, dataDir, log: stderrLog });
    try {
      const findings = await checkNode(node);
      process.stdout.write(`${table(findings.map(({ heading, text, isGood }) => [isGood ? '' : '!', heading, text]))}\n`);
      return findings.every(({ isGood }) => isGood) ? READY : INCOMPLETE;
    } finally {
      await node.close();
    }
  } catch (error) {
    process.stderr.write(`The node was not checked: ${errorMessage(error)}\n`);
    return NOT_CHECKED;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function checkNode(node: LightningNode): Promise<Finding[]> {
  const info = await answered(node.info());
  const credential = await answered(Promise.resolve(node.checkCredential?.()));
  return [
    ...describeNode(info),
    ...(await describeChannels(node, info)),
    await orReason('Balance', 'was not read', async () => {
      const { localMsat } = await answered(node.balance());
      return good('Balance', `${inSat(localMsat)} sat in its channels`);
    }),
    ...(credential ? describeCredential(credential) : []),
    await orReason('Invoice', 'was not created or not cancelled', () => describeInvoice(node)),
  ];
}

/** Returns what a check finds, or the reason why it failed. */
async function orReason(heading: string, failed: string, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return bad(heading, `${failed}: ${errorMessage(error)}`);
  }
}

function describeNode({ software, alias, pubkey, network, cannotSend, capabilities, advice }: NodeInfo): Finding[] {
  const supported = [
    capabilities.sendsKeysend && 'sending keysends',
    capabilities.receivesKeysend && 'receiving keysends',
    capabilities.guards !== 'none' && `deciding on ${capabilities.guards === 'all' ? 'all' : 'keysend'} payments before they are claimed`,
    capabilities.descriptionHashWithoutText && 'description hashes without their text',
  ];
  return [
    good('Node', `${software}, “${alias}”, on ${network}`),
    good('Public key', pubkey),
    cannotSend ? bad('Sending', cannotSend) : good('Sending', 'ready'),
    good('Supports', supported.filter(Boolean).join(', ') || 'invoices and payments only'),
    ...(advice ?? []).map((one) => bad('Setting', one)),
  ];
}

async function describeChannels(node: LightningNode, { channels: counts }: NodeInfo): Promise<Finding[]> {
  const counted = counts ? [good('Channels', `${counts.active} active, ${counts.inactive} inactive`)] : [];
  try {
    const listed = node.listChannels && (await answered(node.listChannels()));
    if (!listed) return counted;
    const { spendable_msat, receivable_msat, num_channels: now } = sumChannels(listed);
    const others = [now.opening > 0 && `${now.opening} opening`, now.closing > 0 && `${now.closing} closing`].filter(Boolean);
    return [
      good('Channels', [`${now.active} active`, `${now.inactive} inactive`, ...others].join(', ')),
      good('', `can send ${inSat(spendable_msat)} and receive ${inSat(receivable_msat)} sat`),
    ];
  } catch (error) {
    return [...counted, bad('', `the channels were not listed: ${errorMessage(error)}`)];
  }
}

function inSat(amountMsat: number): string {
  return grouped(Math.floor(amountMsat / 1000));
}

function describeCredential({ missing, excessive, command }: CredentialReport): Finding[] {
  const problems = [
    missing.length > 0 && `may not call ${missing.join(', ')}`,
    excessive.length > 0 && `may also ${excessive.join(', ')}, which the service never does`,
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return [good('Credential', 'permits what the service needs, and no more')];
  return [bad('Credential', problems.join('; ')), bad('', `Create one with: ${command}`)];
}

async function describeInvoice(node: LightningNode): Promise<Finding> {
  const preimage = randomBytes(32).toString('hex');
  const request = { preimage, amountMsat: satToMsat(1), description: 'node-check', expirySeconds: INVOICE_SECONDS };
  await answered(node.createInvoice(request));
  const outcome = await answered(node.cancelInvoice(paymentHashOf(preimage)));
  if (outcome === 'cancelled') return good('Invoice', 'created and cancelled one of 1 sat');
  return bad('Invoice', `created one of 1 sat, and cancelling it returned “${outcome}”; it expires in ${INVOICE_SECONDS} seconds`);
}

function good(heading: string, text: string): Finding {
  return { heading, text, isGood: true };
}

function bad(heading: string, text: string): Finding {
  return { heading, text, isGood: false };
}

function answered<T>(call: Promise<T>): Promise<T> {
  return withTimeout(ANSWER_MS, call, () => new Error(`the node did not answer within ${ANSWER_MS / 1000} seconds`));
}

runCommand('', main);
