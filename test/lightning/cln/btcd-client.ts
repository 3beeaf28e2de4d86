import { setTimeout as delay } from 'node:timers/promises';

export const BTCD_USER = 'regtest';

/** How long a request waits for a btcd that cannot be reached. */
const RETRY_MS = 100;

/** Calls a btcd on loopback that was started with `--notls`. Waits while it cannot be reached. */
export function btcdClient(port: number) {
  const authorization = `Basic ${Buffer.from(`${BTCD_USER}:${BTCD_USER}`).toString('base64')}`;
  return async function call<T>(method: string, ...params: unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '1.0', id: 1, method, params });
    for (;;) {
      let text: string;
      try {
        const response = await fetch(`http://127.0.0.1:${port}/`, {
          method: 'POST',
          headers: { authorization, connection: 'close' },
          body,
        });
        if (response.status === 503 || response.status === 429) throw new Error('btcd is starting');
        text = await response.text();
      } catch {
        await delay(RETRY_MS);
        continue;
      }
      const { result, error } = JSON.parse(text) as { result: T; error: { message: string } | null };
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    }
  };
}
