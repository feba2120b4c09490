import { pageView } from '../../api/resource-view.ts';
import type { App } from '../../app.ts';
import { DifferenceList } from '../../backup/verify/differences.ts';
import { verifyPublished } from '../../backup/verify/verify-published.ts';
import { TidemarkError } from '../../core/errors.ts';
import { keyOfPath, type ResourceKey, resolveLocation } from '../../core/key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { startProgress } from '../ui/progress.ts';
import { formatTable, plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';
import { publishedOf } from './verify-set.ts';

export const pageList: CliCommand = {
  group: 'page',
  usage: 'list <id>',
  summary: "Lists the pages of a set's Resource List.",
  examples: [['page list maps', 'lists the pages of its Resource List']],

  async run(call) {
    const pages = await withExistingApp(call, async ({ publishing: { publisher }, sets }) => {
      const set = await sets.bySlug(call.args[0]!);
      const { baseUrl } = await sets.source();
      return (await publisher.pages(set.slug)).map((page) => pageView(page, set, baseUrl));
    });
    const rows = pages.map(({ name, entries, length = '-', changed = '(never)', rendered = '(out of date)', from }) => {
      return [name, entries, length, changed, rendered, from === '' ? '(the beginning)' : from];
    });
    const table = formatTable(['PAGE', 'ENTRIES', 'BYTES', 'CHANGED', 'RENDERED', 'FROM KEY'], rows);
    await call.terminal.print(table, { pages });
  },
};

interface Options {
  readonly resource?: string;
  readonly allThatDiffer?: boolean;
}

export const pageRefresh: CliCommand<Options> = {
  group: 'page',
  usage: 'refresh <id> [page]',
  summary: 'Renders one page of a Resource List anew from the store, and no other page.',
  examples: [
    ['page refresh maps 1-00000001', 'renders a page again from the store'],
    ['page refresh maps --resource alps/west.tif', 'renders the page that lists a resource'],
    ['page refresh maps --all-that-differ', 'renders those that differ from the store'],
  ],

  options(command) {
    command
      .option(
        '--resource <resource>',
        'the page that lists this resource, instead of a page by its name: a path or a URL',
      )
      .option('--all-that-differ', 'all pages that differ from the store, as "verify --published" finds them');
  },

  async run(call) {
    const [slug = ''] = call.args;
    const pages = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(slug);
      const { baseUrl } = await app.sets.source();
      const refreshed = [];
      for (const name of await namesOf(call, app, set)) {
        refreshed.push(pageView(await app.publishing.publisher.refreshPage(slug, name), set, baseUrl));
      }
      return refreshed;
    });
    const lines = pages.map(
      ({ name, entries }) => `Rendered page ${name} of ${slug} anew: ${plural(entries, 'entry', 'entries')}.`,
    );
    if (lines.length === 0) lines.push(`No page of ${slug} differs from the store.`);
    await call.terminal.print(lines.join('\n'), call.options.allThatDiffer ? { pages } : pages[0]!);
  },
};

/** @throws TidemarkError `invalid` unless pages are named in one of the three ways; `not-found` for no resource */
async function namesOf(call: Call<Options>, app: App, set: ResourceSet): Promise<readonly string[]> {
  const [, page] = call.args;
  const { resource, allThatDiffer = false } = call.options;
  const given = [page, resource, allThatDiffer || undefined].filter((value) => value !== undefined);
  if (given.length !== 1) {
    throw new TidemarkError('invalid', 'name one page, or give --resource or --all-that-differ', { field: 'page' });
  }
  if (page !== undefined) return [page];
  if (resource === undefined) return differingPages(call, app, set);
  const key = keyOf(resource, set);
  const [found] = await app.index.lookup(set.id, [key]);
  if (found?.state === undefined) {
    throw new TidemarkError('not-found', `"${set.slug}" has no resource ${resource}`, { field: 'resource' });
  }
  return [(await app.publishing.publisher.pageOf(set.slug, key)).name];
}

function keyOf(resource: string, set: ResourceSet): ResourceKey {
  if (resource.startsWith('/')) return resource;
  // A path may have a colon.
  return /^https?:/i.test(resource)
    ? resolveLocation({ value: resource, type: 'url' }, set, '--resource')
    : keyOfPath(resource);
}

async function differingPages({ terminal }: Call<Options>, app: App, set: ResourceSet): Promise<readonly string[]> {
  const progress = startProgress(terminal);
  const differences = new DifferenceList();
  const published = publishedOf(app, await app.sets.source());
  const onProgress = (done: number) => progress.show(`comparing: ${plural(done, 'document')} so far`);
  await verifyPublished({ set, index: app.index, published, differences, onProgress }).finally(() => progress.end());
  const { first, total } = differences.result();
  const documents = new Set(first.flatMap(({ document }) => document ?? []));
  const all = await app.publishing.publisher.pages(set.slug);
  const list = 'resourcelist.xml';
  const files = new Set(all.length === 1 ? [list] : all.map(({ name }) => `resourcelist-${name}.xml`));
  const others = documents.difference(files).size;
  if (others > 0)
    terminal.say(
      `${plural(others, 'other document differs', 'other documents differ')}: see "verify ${set.slug} --published".`,
    );
  if (total > first.length) terminal.say('There are more differences than it takes at once: call it again.');
  return [...documents.intersection(files)];
}
