import { useEffect, useRef } from 'preact/hooks';
import { api, type NodeChannels } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';

/** Channels have no events. */
const REFRESH_MS = 10_000;
/** The service sends at most 100 at once. */
const PER_PAGE = 100;

/** Loads the sums of a node, and its first channels, up to `count`. Without a node nothing is loaded. */
export function useChannels(nodeId: string | undefined, count: number): Resource<NodeChannels> {
  const list = useResource(
    nodeId === undefined ? undefined : `channels ${nodeId} ${count > 1 ? 'list' : 'sums'}`,
    (signal) => loadChannels(nodeId ?? '', count, signal),
    { everyMs: REFRESH_MS },
  );
  const requested = useRef(count);
  useEffect(() => {
    if (requested.current === count) return;
    requested.current = count;
    list.reload();
  }, [count]);
  return list;
}

async function loadChannels(id: string, count: number, signal: AbortSignal): Promise<NodeChannels> {
  const perPage = Math.min(count, PER_PAGE);
  const read = (after?: string) =>
    api.operator.listNodeChannels(id, { 'per-page': perPage, ...(after !== undefined && { after }) }, { signal });
  const first = await read();
  const channels = new Map(first.channels.map((channel) => [channel.id, channel]));
  const wanted = Math.min(count, channelCount(first));
  for (let last = first.channels.at(-1); last !== undefined && channels.size < wanted; ) {
    const page = (await read(last.id)).channels;
    for (const channel of page) channels.set(channel.id, channel);
    last = page.at(-1);
  }
  return { ...first, channels: [...channels.values()] };
}

/** Returns the number of all channels of the node. */
export function channelCount({ num_channels: counts }: NodeChannels): number {
  return counts === null ? 0 : counts.active + counts.inactive + counts.opening + counts.closing;
}
