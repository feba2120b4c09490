import { resolve } from 'node:path';
import { withField } from '../../core/errors.ts';
import { type Origin, traitsOf } from '../../core/origin.ts';
import { isS3 } from '../../lib/s3/s3-location.ts';
import { requireAllowedRoot } from '../allowed-roots.ts';
import { originOfGivenRoot } from '../given-root.ts';
import { ADD, one, setting, text } from './set-setting.ts';
import type { SetContext } from './source-setting.ts';

/** The setting of a set whose resources are files. */
export const ROOT_SETTING = {
  root: setting({
    field: 'origin',
    schema: text,
    meaning: 'The folder whose files are the resources, or s3://BUCKET/PREFIX?endpoint=URL (docs/s3.md).',
    default: '(none)',
    givenTo: ADD,
    source: {
      text: 'a root (--root FOLDER or --root s3://BUCKET/PREFIX)',
      summary: 'a folder or a bucket (--root)',
      inApiRoots: true,
      origin: givenRoot,
    },
    flags: [one('--root <location>', text)],
    show: (origin: Origin) => traitsOf(origin).root,
  }),
} as const;

async function givenRoot(
  root: string,
  _values: object,
  { workingDirectory, allowedRoots }: SetContext,
): Promise<Origin> {
  if (allowedRoots !== undefined)
    await requireAllowedRoot(isS3(root) ? root : resolve(workingDirectory, root), allowedRoots);
  return originOfGivenRoot(root, workingDirectory).catch((error) => {
    throw withField(error, 'root');
  });
}
