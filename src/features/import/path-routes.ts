import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../core/db/database.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { acceptsPage } from '../../http/pages/page.ts';
import { redirectToPage } from '../lnurl/page.ts';
import type { PayLinks } from '../lnurl/pay/pay-links.ts';
import { findPath } from './import.sql.ts';

interface PathModules {
  readonly database: Database;
  readonly payLinks: PayLinks;
}

const MAX_ID = 64;

/**
 * Answers the paths of other programs under which imported pay links were published, because LNURLs on paper cannot be changed. The response is
 * the first step of LUD-06; its callback is the link's own address.
 */
export function importedPathRoutes(app: App, { database, payLinks }: PathModules): void {
  async function answer(request: FastifyRequest, reply: FastifyReply, path: string) {
    const found = path.length > MAX_ID ? undefined : await database.first(findPath, path);
    if (!found) throw new Refusal('link_unusable', 'This pay link does not exist.');
    const link = { key: found.public_key, id: found.link_id };
    return acceptsPage(request) ? redirectToPage(reply, await payLinks.pageUrl(link)) : payLinks.payParameters(link);
  }

  for (const prefix of ['/lnurlp/', '/lnurlp/api/v1/lnurl/']) {
    app.get(`${prefix}:id`, { config: { undocumented: true, lnurl: true } }, (request, reply) => {
      const { id } = request.params as { id: string };
      return answer(request, reply, `${prefix}${id}`);
    });
  }
}
