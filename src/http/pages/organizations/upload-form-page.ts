import { FIRST_STREAM } from '../../../records/arrivals/first-stream.ts';
import { ACCEPTED } from '../../../records/forms/foreign-forms.ts';
import { type Html, html } from '../parts/html.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { type OrganizationFrame, organizationTitle, renderOrganizationFrame } from './organization-frame.ts';

interface UploadFormPage extends OrganizationFrame {
  /** The stream that is preselected. */
  readonly chosen: string | undefined;
  readonly problem?: string | undefined;
}

/** The form that uploads files. With JavaScript, it shows the progress. */
export function renderUploadFormPage(page: UploadFormPage): string {
  const { organization, chosen, problem } = page;
  const open = organization.streams.filter(({ archived, set, removing }) => !archived && !set && !removing);
  const main = html`${problemNotice(problem)}
${
  open.length === 0 && organization.defaultStream !== undefined
    ? html`<div class="notice"><p>No stream takes uploads. An administrator adds one on <a href="./">the page of the organization</a>.</p></div>`
    : form(
        page,
        open.map(({ id }) => id),
        chosen ?? organization.defaultStream,
      )
}`;
  return renderOrganizationFrame(page, {
    above: [[organizationTitle(organization), '']],
    heading: 'Upload files',
    title: `Upload files – ${organizationTitle(organization)}`,
    main,
  });
}

function form({ organization }: UploadFormPage, streams: readonly string[], chosen: string | undefined): Html {
  const options = streams.map((id) => {
    const selected = id === chosen && html` selected`;
    return html`<option value="${id}"${selected}>${id}${id === organization.defaultStream && ' (default)'}</option>`;
  });
  return html`<p class="lead">${ACCEPTED}, also in gzip, tar or ZIP. All files of the form are one upload.</p>
<form class="fields" method="post" action="./upload" enctype="multipart/form-data" data-progress>
${streams.length > 0 ? html`<p><label for="stream">Stream</label> <select id="stream" name="stream">${options}</select></p>` : html`<p class="quiet">The first upload makes the stream ${FIRST_STREAM}.</p>`}
<p><label for="name">Name</label>
<input id="name" name="name" maxlength="200" autocomplete="off" aria-describedby="name-hint">
<span class="hint" id="name-hint">What you call the upload. It may be empty.</span></p>
<p><label class="box"><input type="checkbox" name="full" value="yes" aria-describedby="full-hint"> A new full export</label>
<span class="hint" id="full-hint">Records of the stream that it does not mention are deleted, unless these are too many.</span></p>
<p><label class="box"><input type="checkbox" name="accept_drop" value="yes" aria-describedby="drop-hint"> However many these are</label>
<span class="hint" id="drop-hint">When a new full export has failed because of that, and it is right.</span></p>
<p><label for="files">Files</label> <input id="files" name="files" type="file" multiple></p>
<p><label for="url">Or a URL</label>
<input id="url" name="url" type="url" maxlength="2000" autocomplete="off" placeholder="https://" aria-describedby="url-hint">
<span class="hint" id="url-hint">In the place of files: where the server fetches one.</span></p>
<p><button>Upload</button></p>
<p class="progress" role="status" hidden><progress aria-label="Progress of the upload" max="1" value="0"></progress> <span></span></p>
</form>
<p class="quiet">A script does the same: <code>tidemark upload ${organization.id} FILE</code>.</p>`;
}
