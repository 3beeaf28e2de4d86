import type { App } from '../app-type.ts';
import type { RouteFacts } from './collect.ts';
import { describeApi } from './document.ts';
import { CONTENT_SECURITY_POLICY, renderPage } from './page.ts';

/** The API's description: for programs, and for people who are offline. */
export function descriptionRoutes(app: App, routes: readonly RouteFacts[]): void {
  let json: string | undefined;
  let page: string | undefined;

  app.get('/openapi.json', { config: { isDocument: true } }, (_request, reply) => {
    json ??= JSON.stringify(describeApi(routes));
    return reply.type('application/json').send(json);
  });

  app.get('/docs', { config: { isDocument: true } }, (_request, reply) => {
    page ??= renderPage(describeApi(routes));
    return reply.type('text/html; charset=utf-8').header('content-security-policy', CONTENT_SECURITY_POLICY).send(page);
  });
}
