import { whoMay } from '../../access/who-may.ts';
import { TAGS, type Tag } from '../request/operation.ts';
import type { Route } from '../request/route.ts';
import { pathTemplate } from './openapi-parameters.ts';

/** The tables of all routes in docs/http-api.md; a test compares the page with them. */
export function routesReference(routes: readonly Route[]): string {
  const tags = Object.entries(TAGS) as [Tag, string][];
  const parts = tags.map(([tag, description]) => {
    const rows = routes.filter(({ operation }) => operation.tag === tag).map(row);
    return rows.length === 0 ? '' : [`### ${description.replace(/\.$/, '')}\n`, ...HEAD, ...rows, ''].join('\n');
  });
  return parts.filter((part) => part !== '').join('\n');
}

const HEAD = ['| Method | Path | What | Action | Who may |', '| --- | --- | --- | --- | --- |'];

function row({ method, path, action, operation: { summary } }: Route): string {
  const cells = [method.toUpperCase(), `\`${pathTemplate(path)}\``, summary, `\`${action}\``, whoMay(action)];
  return `| ${cells.join(' | ')} |`;
}
