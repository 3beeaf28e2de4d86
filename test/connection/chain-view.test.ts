import { describe, expect, it } from 'vitest';
import { ChainView } from '../../src/core/connection/chain-view.ts';
import type { NodeInfo } from '../../src/core/lightning/node.ts';

const NOW = 1_800_000_000;
const MINUTE = 60;

function seen(changes: Partial<NonNullable<NodeInfo['chain']>> = {}, network: NodeInfo['network'] = 'bitcoin') {
  return { network, chain: { blockHeight: 800, isSynced: true, tipAt: NOW, ...changes } };
}

/** A node whose newest block is `minutes` old by the time in its header. */
function stalled(minutes: number, network: NodeInfo['network'] = 'bitcoin', setting?: number): ChainView {
  const view = new ChainView(setting);
  view.observe(seen({ tipAt: NOW - minutes * MINUTE }, network), NOW);
  return view;
}

describe('the view of the blockchain', () => {
  it('is late from sixty minutes without a block, and behind from ninety', () => {
    expect([59, 60, 89, 90, 6000].map((minutes) => stalled(minutes).read(NOW).state)).toEqual([
      'current',
      'late',
      'late',
      'behind',
      'behind',
    ]);
    expect(stalled(95).read(NOW)).toEqual({ state: 'behind', reason: 'its newest block, 800, is 95 minutes old' });
  });

  it('ages while the service polls a node that reads no block, and is current again with the next one', () => {
    const view = new ChainView(undefined);
    for (let minute = 0; minute <= 90; minute++) view.observe(seen({ tipAt: NOW }), NOW + minute * MINUTE);
    expect(view.read(NOW + 90 * MINUTE).state).toBe('behind');
    // The header of the next block is old, as of a miner whose clock is slow.
    view.observe(seen({ blockHeight: 801, tipAt: NOW + 10 * MINUTE }), NOW + 91 * MINUTE);
    expect(view.read(NOW + 91 * MINUTE).state).toBe('current');
  });

  it('counts the time since the height was first seen if the node does not report the time of its newest block', () => {
    const view = new ChainView(undefined);
    view.observe(seen({ tipAt: undefined }), NOW);
    expect(view.read(NOW + 89 * MINUTE).state).toBe('late');
    expect(view.read(NOW + 90 * MINUTE).state).toBe('behind');
  });

  it('takes a node that stood still while the service could not reach it as behind', () => {
    const view = new ChainView(undefined);
    view.observe(seen(), NOW);
    view.observe(seen({ blockHeight: 801, tipAt: NOW + MINUTE }), NOW + 200 * MINUTE);
    expect(view.read(NOW + 200 * MINUTE).state).toBe('behind');
  });

  it('is behind after two minutes without synchronization', () => {
    const view = new ChainView(undefined);
    view.observe(seen({ isSynced: false }), NOW);
    view.observe(seen({ isSynced: false }), NOW + 119);
    expect(view.read(NOW + 119).state).toBe('current');
    expect(view.read(NOW + 120)).toMatchObject({ state: 'behind', reason: expect.stringContaining('not synchronized') });
    view.observe(seen(), NOW + 121);
    expect(view.read(NOW + 121).state).toBe('current');
  });

  it('ignores the age of blocks and the synchronization on regtest, unless a setting gives the age', () => {
    const idle = stalled(6000, 'regtest');
    idle.observe(seen({ isSynced: false, tipAt: NOW - 6000 * MINUTE }, 'regtest'), NOW + 1000);
    expect([idle.read(NOW + 1000).state, idle.missedBlocks(NOW), idle.unsyncedSeconds(NOW + 2000)]).toEqual(['current', 0, 0]);
    expect(stalled(2, 'regtest', 90).read(NOW).state).toBe('behind');
    expect(stalled(6000, 'bitcoin', 0).read(NOW).state).toBe('current');
  });

  it('is behind when a payee is three blocks ahead, until the node reads a block', () => {
    const view = stalled(30);
    view.reportPayee(802);
    expect(view.read(NOW).state).toBe('current');
    view.reportPayee(803);
    expect(view.read(NOW)).toEqual({ state: 'behind', reason: 'it is at block 800, and a payee was at block 803' });
    view.observe(seen({ blockHeight: 801, tipAt: NOW }), NOW + 1);
    expect(view.read(NOW + 1).state).toBe('current');
  });

  it('does not believe a payee that claims blocks which cannot have been found since the newest one', () => {
    const view = stalled(5);
    view.reportPayee(900);
    expect(view.read(NOW).state).toBe('current');
    expect(view.read(NOW + 15 * MINUTE).state).toBe('behind');
  });

  it('estimates the blocks that the node has missed', () => {
    expect([0, 9, 10, 1000].map((minutes) => stalled(minutes).missedBlocks(NOW))).toEqual([0, 0, 1, 100]);
  });
});
