import { formatCount } from '../../../lib/format-count.ts';
import type { Organization } from '../../../records/organization.ts';
import type { Frame } from '../parts/frame.ts';
import { html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { stackingTable } from '../parts/tables.ts';
import { organizationTitle, privateBadge } from './organization-frame.ts';

interface OrganizationsPage {
  readonly frame: Frame;
  readonly organizations: readonly Organization[];
}

/** The organizations that the reader may read. */
export function renderOrganizationsPage({ frame, organizations }: OrganizationsPage): string {
  const { isAdministrator } = frame.viewer;
  const main = html`<h1>Organizations</h1>
<p class="lead">Who delivers files of records here. Of each, the records, the files as they came, and dumps are published.</p>
${
  organizations.length === 0
    ? html`<div class="notice"><p>There is no organization ${isAdministrator ? html`yet. <a href="../add-organization">Add one</a>, or run <code>tidemark organizations add ID</code>; then it can upload files.` : 'that you may read.'}</p></div>`
    : stackingTable('Organizations', organizations, [
        {
          name: 'Organization',
          style: 'name title',
          isHead: true,
          cell: (one) =>
            html`<a href="./${one.id}/">${organizationTitle(one)}</a> ${one.title !== undefined && html`<span class="id">${one.id}</span>`} ${privateBadge(one)}`,
        },
        { name: 'Default stream', style: 'short', cell: ({ defaultStream }) => defaultStream ?? 'none yet' },
        { name: 'Streams', style: 'number', cell: ({ streams }) => formatCount(streams.length) },
      ])
}
${isAdministrator && organizations.length > 0 && html`<p class="more"><a href="../add-organization">Add an organization</a></p>`}`;
  return renderPage({ frame, title: 'Organizations', main, part: 'organizations' });
}
