import type { Request, Response } from 'express';
import { may } from '../../../access/may.ts';
import type { Organization } from '../../../records/organization.ts';
import { readersOf } from '../../../records/organization-readers.ts';
import { organizationOf, senderOf } from '../../request/admitted.ts';
import type { ServedApp } from '../../request/served-app.ts';
import type { Frame } from '../parts/frame.ts';
import { frameOf } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';

/** The common input of all pages of an organization. */
export interface OrganizationFrame {
  readonly frame: Frame;
  readonly organization: Organization;
  /** Whether the reader may upload files, and request that failed uploads are processed again. */
  readonly mayUpload: boolean;
  /** Whether the reader may change the organization. */
  readonly mayManage: boolean;
  /** E-mail addresses of contacts are not public. */
  readonly seesAddresses: boolean;
}

export async function organizationFrameOf(
  app: ServedApp,
  request: Request,
  response: Response,
): Promise<OrganizationFrame> {
  const organization = organizationOf(response);
  const sender = senderOf(response);
  return {
    frame: await frameOf(app, request, response),
    organization,
    mayUpload: may(sender, 'upload-files', readersOf(organization)),
    mayManage: may(sender, 'manage-organization', readersOf(organization)),
    seesAddresses: sender.kind !== 'anonymous',
  };
}

interface OrganizationMain {
  /** Pages between the organization and this page: names with their paths, relative to the page of the organization. */
  readonly above: readonly (readonly [string, string])[];
  readonly heading: Html | string;
  /** Title of the browser's window. */
  readonly title: string;
  readonly main: Html;
  readonly again?: number | undefined;
}

/** A page of an organization, with the links to the pages above it. */
export function renderOrganizationFrame(
  { frame, organization }: OrganizationFrame,
  { above, heading, title, main, again }: OrganizationMain,
): string {
  const home = `${frame.top}organizations/`;
  const ways = above.map(([name, path]) => html`<li><a href="${home}${organization.id}/${path}">${name}</a></li>`);
  return renderPage({
    frame,
    title,
    part: 'organizations',
    again,
    main: html`<nav class="crumbs" aria-label="Where this page is"><ol><li><a href="${home}">Organizations</a></li>${ways}</ol></nav>
<h1>${heading}</h1>
${main}`,
  });
}

export function organizationTitle({ id, title }: Pick<Organization, 'id' | 'title'>): string {
  return title ?? id;
}

export function privateBadge({ private: isPrivate }: Pick<Organization, 'private'>): Html | undefined {
  return isPrivate ? html`<span class="state">private</span>` : undefined;
}
