import { describeFreed } from '../../../api/removal-view.ts';
import { MOST_OF_ORGANIZATION, type Organization } from '../../../records/organization.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { CONFIRMATION, removeSection } from '../parts/remove-section.ts';
import { type OrganizationFrame, organizationTitle, renderOrganizationFrame } from './organization-frame.ts';
import { presentSettings, settingsFields } from './settings-fields.ts';

/** The form that adds an organization. */
export function renderAddOrganizationPage(frame: Frame, attempt: RejectedForm | undefined): string {
  const main = html`<h1>Add an organization</h1>
${problemNotice(attempt?.problem)}
<form class="fields" method="post" action="./add-organization">
<p><label for="organization">Id</label>
<input id="organization" name="organization" required maxlength="${MOST_OF_ORGANIZATION}" value="${attempt?.form.get('organization') ?? ''}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="organization-hint">
<span class="hint" id="organization-hint">Its name in addresses, which stays: small letters, digits, dots, hyphens and underscores.</span></p>
${fields((name) => attempt?.form.get(name) ?? '')}
<p><button>Add the organization</button></p>
</form>`;
  return renderPage({ frame, title: 'Add an organization', main, part: 'organizations' });
}

interface SettingsPage extends OrganizationFrame {
  /** For an administrator: what its removal frees. */
  readonly freed: Parameters<typeof describeFreed>[0] | undefined;
}

/** The form for the settings of an organization. */
export function renderOrganizationSettings(page: SettingsPage, attempt: RejectedForm | undefined): string {
  const { organization, freed } = page;
  // The form that removes it has none of the settings.
  const isRemoval = attempt?.field === CONFIRMATION;
  const value = (name: string) =>
    attempt === undefined || isRemoval ? presentValue(organization, name) : (attempt.form.get(name) ?? '');
  const main = html`${problemNotice(attempt?.problem)}
<p class="quiet">The same as <code>tidemark organizations change ${organization.id}</code>.</p>
<form class="fields" method="post" action="./settings">
${fields(value)}
${settingsFields(value)}
<p><button>Save</button></p>
</form>
${
  freed !== undefined &&
  removeSection({
    ...{ what: 'organization', id: organization.id, action: './remove', isWrong: isRemoval },
    consequence: `What it has is lost for clients, for good: ${describeFreed(freed)}. Its collections are removed, and tokens that are for it alone are revoked. Its id and those of its sets cannot be used again. Artifacts of its activities stay.`,
  })
}`;
  return renderOrganizationFrame(page, {
    above: [[organizationTitle(organization), '']],
    heading: 'Settings',
    title: `Settings – ${organizationTitle(organization)}`,
    main,
  });
}

function presentValue(organization: Organization, name: string): string {
  const { title, contacts, private: isPrivate, readers } = organization;
  switch (name) {
    case 'title':
      return title ?? '';
    case 'contacts':
      return contacts.map(({ name, email }) => (email === undefined ? name : `${name} <${email}>`)).join('\n');
    case 'private':
      return isPrivate ? 'yes' : 'no';
    case 'readers':
      return (readers ?? []).join('\n');
    default:
      return presentSettings(organization)[name] ?? '';
  }
}

function fields(value: (name: string) => string): Html {
  const option = (text: string, words: string) =>
    html`<option value="${text}"${value('private') === text && html` selected`}>${words}</option>`;
  return html`<p><label for="title">Title</label> <input id="title" name="title" maxlength="500" value="${value('title')}" autocomplete="off"></p>
<p><label for="contacts">Contacts</label>
<textarea id="contacts" name="contacts" rows="3" spellcheck="false" aria-describedby="contacts-hint">${value('contacts')}</textarea>
<span class="hint" id="contacts-hint">One in a line, such as: Ada &lt;ada@example.org&gt;. Addresses are shown to those who have a token.</span></p>
<p><label for="private">What it delivers is for</label> <select id="private" name="private">${option('no', 'everybody')}${option('yes', 'its own tokens, and those of its readers')}</select></p>
<p><label for="readers">Readers</label>
<textarea id="readers" name="readers" rows="2" spellcheck="false" aria-describedby="readers-hint">${value('readers')}</textarea>
<span class="hint" id="readers-hint">Groups that may read it while it is private, one in a line: tokens with the scope group:NAME.</span></p>`;
}
