import { whoMay } from '../../access/who-may.ts';
import { TAGS, type Tag } from '../request/operation.ts';
import type { Route } from '../request/route.ts';
import { pathTemplate } from './openapi-parameters.ts';

/** The tables of who may use routes, and of all routes, in docs/http-api.md; a test compares the page with them. */
export function routesReference(routes: readonly Route[]): string {
  const tags = Object.entries(TAGS) as [Tag, string][];
  const rows = tags.flatMap(([tag, description]) => {
    const tagged = routes.filter(({ operation }) => operation.tag === tag).map(row);
    return tagged.length === 0 ? [] : [`| | **${description.replace(/\.$/, '')}** | | |`, ...tagged];
  });
  const actions = [...new Set(routes.map(({ action }) => action))];
  return [
    '| Action | Who may |\n| --- | --- |',
    ...actions.map((action) => `| \`${action}\` | ${whoMay(action)} |`),
    '\n| Method | Path | What | Action |\n| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function row({ method, path, action, operation: { summary } }: Route): string {
  return `| ${[method.toUpperCase(), `\`${pathTemplate(path)}\``, summary, `\`${action}\``].join(' | ')} |`;
}
