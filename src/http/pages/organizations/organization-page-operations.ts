import * as z from 'zod';
import { newOrganizationSchema, newStreamSchema } from '../../../api/organization-view.ts';
import { overviewQuery } from '../../../api/overview-view.ts';
import { type Operation, pageOperation } from '../../request/operation.ts';
import { FORM_BODY, formBody } from '../../request/read-form.ts';
import { CONFIRMATION } from '../parts/remove-section.ts';

/** The pages of organizations. Links may contain additional parameters, so unknown ones are ignored. */

/** A positive number; undefined for any other text. */
export const number = (description: string) =>
  z
    .string()
    .optional()
    .transform((text) => (text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined))
    .meta({ description });

export const ORGANIZATIONS = {
  ...describe('organizationsPage', 'The organizations that the reader may read, with the state of those it manages'),
  query: z.object(overviewQuery),
};
export const ORGANIZATION = {
  ...describe('organizationPage', 'An organization with its streams, uploads and dumps'),
  query: z.object({ did: z.enum(['change', 'dump', 'remove', 'stream']).optional() }),
};
export const STREAM = {
  ...describe('streamPage', 'A stream with its uploads'),
  query: z.object({ before: number('Uploads with lower numbers; any other text shows the latest.') }),
};
export const UPLOAD = {
  ...describe('uploadPage', 'An upload: its status, what its files were taken for, and what could not be read'),
  query: z.object({ errors: number('The byte of the list of errors at which the page begins.') }),
};
export const UPLOAD_FORM = {
  ...describe('uploadFormPage', 'The form that uploads files'),
  query: z.object({ stream: z.string().optional() }),
};
export const UPLOAD_BY_FORM = {
  ...byForm('uploadByForm', 'Uploads files, and leads to the page of the upload'),
  body: { 'multipart/form-data': 'text' },
} as const satisfies Operation;
export const RETRY = {
  ...byForm('retryUploadByForm', 'Has a failed upload processed again, and leads back to its page'),
} satisfies Operation;
export const REMOVE_UPLOAD = {
  ...byForm('removeUploadByForm', 'Removes an upload, for good, and leads back to its page'),
  body: formBody({ reason: z.string(), confirm: z.string() }),
};
export const ADD_FORM = describe('addOrganizationPage', 'The form that adds an organization');
export const ADD = {
  ...byForm('addOrganizationByForm', 'Adds an organization'),
  body: formBody({ organization: newOrganizationSchema.shape.organization }),
};
export const SETTINGS = describe('organizationSettingsPage', 'What can be changed of an organization');
export const CHANGE = { ...byForm('changeOrganizationByForm', 'Changes an organization'), body: FORM_BODY };
export const ADD_STREAM = {
  ...byForm('addStreamByForm', 'Adds a stream to an organization'),
  body: formBody({ stream: newStreamSchema.shape.stream }),
};
export const MAKE_DEFAULT = byForm('makeDefaultByForm', 'Makes a stream the default of its organization');
export const ARCHIVE = {
  ...byForm('archiveStreamByForm', 'Archives a stream, or lets it take uploads again'),
  query: z.object({ undo: z.string().optional() }),
};
export const REMOVE_STREAM = {
  ...byForm('removeStreamByForm', 'Removes a stream, for good'),
  body: formBody({ [CONFIRMATION]: z.string() }),
};
export const REMOVE_ORGANIZATION = {
  ...byForm('removeOrganizationByForm', 'Removes an organization, for good'),
  body: formBody({ [CONFIRMATION]: z.string() }),
};
export const MAKE_DUMP = byForm('makeDumpByForm', 'Adds a job that makes a dump of the default stream');

function describe(id: string, summary: string) {
  const page = pageOperation(id, summary);
  return {
    ...page,
    answers: [...page.answers, { status: 404, description: 'There is none.' }],
  } as const satisfies Operation;
}

function byForm(id: string, summary: string) {
  return {
    id,
    tag: 'pages',
    summary,
    answers: [
      { status: 303, description: 'The change was made; Location is the page that shows it.', headers: ['Location'] },
      { status: 404, description: 'There is none.' },
      { status: 409, description: 'It is not possible now.' },
    ],
  } as const satisfies Operation;
}
