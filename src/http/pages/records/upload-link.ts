import type { Origin } from '../../../core/origin.ts';
import type { NamedUpload } from '../../../records/arrivals/upload.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';

/** Its number, with a link to its page; one of a collection is a harvest, which has other pages. */
export function uploadLink({ organization, stream, number }: NamedUpload, origin: Origin, { top }: Frame): Html {
  if (origin.kind === 'stream' && origin.collection !== undefined) return html`Delivery ${number}`;
  return html`<a href="${top}organizations/${organization}/streams/${stream}/uploads/${number}/">Upload ${number}</a>`;
}
