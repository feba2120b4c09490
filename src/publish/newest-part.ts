import type { RenderJob } from './render/render-job.ts';

/** The address of the last document that an index lists; undefined for a document that is not an index. */
export function newestPartOf(job: RenderJob): string | undefined {
  switch (job.kind) {
    case 'resource-list-index':
      return job.document.pages.at(-1)?.uri;
    case 'change-list-index':
      return job.document.windows.at(-1)?.uri;
    case 'resource-dump-index':
    case 'change-dump-index':
      return job.document.parts.at(-1)?.uri;
    case 'archive-index':
      return job.document.parts.at(-1);
    default:
      return undefined;
  }
}
