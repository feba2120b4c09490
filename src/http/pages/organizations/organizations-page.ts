import type { OverviewOrder, OverviewRow } from '../../../api/overview-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Organization } from '../../../records/organization.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { stackingTable } from '../parts/tables.ts';
import { organizationTitle, privateBadge } from './organization-frame.ts';
import { overviewTable } from './overview-table.ts';

interface OrganizationsPage {
  readonly frame: Frame;
  /** Those that the reader manages, in this order. */
  readonly managed: readonly OverviewRow[];
  readonly order: OverviewOrder;
  /** Others that the reader may read. */
  readonly organizations: readonly Organization[];
}

/** The organizations that the reader may read, and the state of those that the reader manages. */
export function renderOrganizationsPage({ frame, managed, order, organizations }: OrganizationsPage): string {
  const { isAdministrator } = frame.viewer;
  const isEmpty = managed.length === 0 && organizations.length === 0;
  const main = html`<h1>Organizations</h1>
<p class="lead">Who delivers files of records here. Of each, the records, the files as they came, and dumps are published.</p>
${isEmpty && html`<div class="notice"><p>There is no organization ${isAdministrator ? html`yet. <a href="../add-organization">Add one</a>, or run <code>tidemark organizations add ID</code>; then it can upload files.` : 'that you may read.'}</p></div>`}
${
  managed.length > 0 &&
  html`${overviewTable(managed, order, frame.now)}
<p class="more">The same <a href="../api/organization-overview">as JSON</a>, <a href="../api/organization-overview.csv">as CSV</a>. Failures are those of the last 30 days that were not processed since.</p>`
}
${managed.length > 0 && organizations.length > 0 && html`<h2>Others</h2>`}
${organizations.length > 0 && plainTable(organizations)}
${isAdministrator && managed.length > 0 && html`<p class="more"><a href="../add-organization">Add an organization</a></p>`}`;
  return renderPage({ frame, title: 'Organizations', main, part: 'organizations' });
}

function plainTable(organizations: readonly Organization[]): Html {
  return stackingTable('Organizations', organizations, [
    {
      name: 'Organization',
      style: 'name title',
      isHead: true,
      cell: (one) =>
        html`<a href="./${one.id}/">${organizationTitle(one)}</a> ${one.title !== undefined && html`<span class="id">${one.id}</span>`} ${privateBadge(one)}`,
    },
    { name: 'Default stream', style: 'short', cell: ({ defaultStream }) => defaultStream ?? 'none yet' },
    { name: 'Streams', style: 'number', cell: ({ streams }) => formatCount(streams.length) },
  ]);
}
