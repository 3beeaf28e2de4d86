import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, readConfig } from '../config.ts';
import { ChainView } from '../core/connection/chain-view.ts';
import { systemClock, timeText, unixSeconds, withTimeout } from '../core/kernel/clock.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { satToMsat } from '../core/kernel/money.ts';
import type { CredentialReport } from '../core/lightning/credential-report.ts';
import { withHoldSetting } from '../core/lightning/hold-offer.ts';
import type { LightningNode, NodeInfo } from '../core/lightning/node.ts';
import { paymentHashOf } from '../core/lightning/payment-hash.ts';
import { sumChannels } from '../features/operator/channels-object.ts';
import { openNode } from '../open-node.ts';
import { localUrl } from '../service-addresses.ts';
import { stderrLog } from './database.ts';
import { grouped } from './table.ts';

const ANSWER_MS = 10_000;
const INVOICE_SECONDS = 60;

/** What was found at a node, or the reason why it could not be checked. */
export interface NodeFindings {
  readonly findings: readonly NodeFinding[];
  readonly reason: string | null;
}

/** What was found, in the order in which it is printed: a heading and its text. `isGood` is false for what the operator should change. */
export interface NodeFinding {
  readonly heading: string;
  readonly text: string;
  readonly isGood: boolean;
}

type NodeSettings = Pick<Config, 'holdInvoices' | 'maxBlockAgeSeconds' | 'host' | 'port'>;

/** Checks each node of LIGHTNING_URL. */
export async function checkNodes(): Promise<NodeFindings[]> {
  const config = readConfig(process.env);
  const checked = [];
  for (const url of config.lightningUrls) checked.push(await checkUrl(url, config));
  return checked;
}

/** The playground is in the process of the service. One in this process would be another node. */
async function checkPlayground(config: NodeSettings): Promise<NodeFindings> {
  const url = localUrl(config);
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { node } = (await response.json()) as { node: unknown };
    const text = `answers at ${url}, and reports its node as ${String(node)}`;
    const what = good('Node', 'the playground, a private test network in the process of the service');
    return { findings: [what, node === 'ok' ? good('Service', text) : bad('Service', text)], reason: null };
  } catch {
    const reason = `The playground is in the process of the service, and no service answers at ${url}. Start it, with the same HOST and PORT.`;
    return { findings: [], reason };
  }
}

async function checkUrl(lightningUrl: string, config: NodeSettings): Promise<NodeFindings> {
  if (lightningUrl === 'playground:') return checkPlayground(config);
  const dataDir = await mkdtemp(join(tmpdir(), 'satchel-node-check-'));
  try {
    const { node } = await openNode({ lightningUrl, dataDir, log: stderrLog });
    try {
      return { findings: await checkNode(node, config), reason: null };
    } finally {
      await node.close();
    }
  } catch (error) {
    return { findings: [], reason: errorMessage(error) };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function checkNode(node: LightningNode, { holdInvoices, maxBlockAgeSeconds }: NodeSettings): Promise<NodeFinding[]> {
  const info = withHoldSetting(await answered(node.info()), holdInvoices);
  const credential = await answered(Promise.resolve(node.checkCredential?.()));
  return [
    ...describeNode(info, maxBlockAgeSeconds),
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
async function orReason(heading: string, failed: string, check: () => Promise<NodeFinding>): Promise<NodeFinding> {
  try {
    return await check();
  } catch (error) {
    return bad(heading, `${failed}: ${errorMessage(error)}`);
  }
}

function describeNode(info: NodeInfo, maxBlockAgeSeconds: number | undefined): NodeFinding[] {
  const { software, alias, pubkey, network, cannotSend, capabilities } = info;
  const supported = [
    capabilities.sendsKeysend && 'sending keysends',
    capabilities.receivesKeysend && 'receiving keysends',
    capabilities.guards !== 'none' && `deciding on ${capabilities.guards === 'all' ? 'all' : 'keysend'} payments before they are claimed`,
    capabilities.holdInvoices && 'hold invoices',
    capabilities.descriptionHashWithoutText && 'description hashes without their text',
  ];
  return [
    good('Node', `${software}, “${alias}”, on ${network}`),
    good('Public key', pubkey),
    cannotSend ? bad('Sending', cannotSend) : good('Sending', 'ready'),
    ...describeChain(info, maxBlockAgeSeconds),
    good('Supports', supported.filter(Boolean).join(', ') || 'invoices and payments only'),
    ...describeHoldInvoices(info),
    ...(info.advice ?? []).map((one) => bad('Setting', one)),
  ];
}

/** Returns why hold invoices are off, or what to do where they are on in spite of a risk. */
function describeHoldInvoices({ capabilities, holdInvoiceRisk: risk, noHoldInvoices }: NodeInfo): NodeFinding[] {
  if (noHoldInvoices !== undefined) return [good('Hold invoices', `off: ${noHoldInvoices}`)];
  if (!capabilities.holdInvoices || risk === undefined) return [];
  return [good('Hold invoices', `on, although ${risk}: run satchel node holds --stop before each restart of the node`)];
}

/** A node that has not read new blocks reports that all is well, so the age of its newest block is judged. */
function describeChain(info: NodeInfo, maxBlockAgeSeconds: number | undefined): NodeFinding[] {
  const { chain } = info;
  if (!chain) return [];
  const now = unixSeconds(systemClock);
  const view = new ChainView(maxBlockAgeSeconds);
  view.observe(info, now);
  const report = view.read(now);
  const time = chain.tipAt === undefined ? '' : ` of ${timeText(chain.tipAt)}`;
  if (report.state !== 'current') return [bad('Blockchain', `${report.reason}; check its Bitcoin node, or the peers of neutrino`)];
  if (!chain.isSynced && view.blockSeconds() !== undefined) return [bad('Blockchain', 'it reports that it is not synchronized')];
  return [good('Blockchain', `at block ${chain.blockHeight}${time}`)];
}

async function describeChannels(node: LightningNode, { channels: counts }: NodeInfo): Promise<NodeFinding[]> {
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

function describeCredential({ missing, excessive, command }: CredentialReport): NodeFinding[] {
  const problems = [
    missing.length > 0 && `may not call ${missing.join(', ')}`,
    excessive.length > 0 && `may also ${excessive.join(', ')}, which the service never does`,
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return [good('Credential', 'permits what the service needs, and no more')];
  return [bad('Credential', problems.join('; ')), bad('', `Create one with: ${command}`)];
}

async function describeInvoice(node: LightningNode): Promise<NodeFinding> {
  const preimage = randomBytes(32).toString('hex');
  const request = { preimage, amountMsat: satToMsat(1), description: 'node-check', expirySeconds: INVOICE_SECONDS };
  await answered(node.createInvoice(request));
  const outcome = await answered(node.cancelInvoice(paymentHashOf(preimage)));
  if (outcome === 'cancelled') return good('Invoice', 'created and cancelled one of 1 sat');
  return bad('Invoice', `created one of 1 sat, and cancelling it returned “${outcome}”; it expires in ${INVOICE_SECONDS} seconds`);
}

function good(heading: string, text: string): NodeFinding {
  return { heading, text, isGood: true };
}

function bad(heading: string, text: string): NodeFinding {
  return { heading, text, isGood: false };
}

function answered<T>(call: Promise<T>): Promise<T> {
  return withTimeout(ANSWER_MS, call, () => new Error(`the node did not answer within ${ANSWER_MS / 1000} seconds`));
}
