import type { Configuration } from '../../config/configuration.ts';
import { isPublished, type ResourceSet } from '../../core/resource-set.ts';
import { documentUri } from '../../publish/documents.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { setCaching } from '../response/caching.ts';

export function robotsRoutes({ sets, configuration }: ServedApp): readonly Route[] {
  return [
    get('/robots.txt', {
      action: 'read-source',
      id: 'robots',
      tag: 'documents',
      summary: 'What robots may read, and where sitemaps are',
      description: 'The same for every client, whatever its token. The setting `robots` says what it contains.',
      answers: [{ status: 200, description: 'The text.', content: { 'text/plain': 'text' } }],
      async handle(_request, response) {
        const text = robotsText(configuration, await sets.list());
        setCaching(response, 'no-cache');
        response.type('text/plain').send(text);
      },
    }),
  ];
}

/**
 * Never contains a Resource List, though ResourceSync 1.1, 6.3.4 permits it: search engines report the elements of
 * ResourceSync as errors. It never contains private sets.
 */
function robotsText({ robots, baseUrl }: Configuration, sets: readonly ResourceSet[]): string {
  if (robots === 'disallow') return 'User-agent: *\nDisallow: /\n';
  const shown = robots === 'sitemaps' ? sets.filter((set) => set.private !== true && isPublished(set)) : [];
  const lines = shown.map(({ slug }) => `Sitemap: ${documentUri(baseUrl, { kind: 'sitemap', set: slug })}\n`);
  return `User-agent: *\nDisallow:\n${lines.join('')}`;
}
