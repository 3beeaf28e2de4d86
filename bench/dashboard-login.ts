const LOGIN = { email: 'bench@example.com', password: 'a long password' };

/** Requests to the API of a service. */
export interface Api {
  readonly url: string;
  readonly get: <T>(path: string) => Promise<T>;
  /** @throws if the response is not a success */
  readonly post: (path: string, body: object) => Promise<Record<string, string>>;
}

export function apiOf(url: string, secretKey: string): Api {
  async function send<T>(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<T> {
    const response = await fetch(url + path, { ...options, headers: { 'x-api-key': secretKey, ...options.headers } });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
  return {
    url,
    get: send,
    post(path, body) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
      return send(path, { method: 'POST', headers, body: JSON.stringify(body) });
    },
  };
}

/** Logs in as the operator. @returns the cookie of the session */
export async function logIn({ url, get, post }: Api): Promise<{ name: string; value: string }> {
  const account = await get<{ id: string }>('/v1/account');
  const { setup_url = '' } = await post(`/v1/accounts/${account.id}/setup-link`, {});
  const response = await fetch(`${url}/v1/session/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: new URL(setup_url).hash.slice(1), ...LOGIN }),
  });
  const [name = '', value = ''] = (response.headers.get('set-cookie') ?? '').split(/[=;]/);
  return { name, value };
}
