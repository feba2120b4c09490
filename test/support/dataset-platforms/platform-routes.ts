import type { IncomingMessage, ServerResponse } from 'node:http';
import { archiveorgReply } from './archiveorg.ts';
import { dataverseReply, dataverseVersionReply } from './dataverse.ts';
import { figshareFilesReply, figshareReply } from './figshare.ts';
import { redirect, reply, sendLanding } from './responses.ts';
import { sendBundle, sendFile, sendFromStorage, sendSigned } from './send-file.ts';
import type { ServedPlatforms } from './served-platforms.ts';
import type { ServedDataset } from './simulated-dataset.ts';
import { inveniordmFilesReply, inveniordmReply, zenodoReply } from './zenodo.ts';

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the groups of the path have matched. */
  readonly found: readonly string[];
  readonly query: URLSearchParams;
  readonly served: ServedPlatforms;
}

export type Route = readonly [path: RegExp, answer: (call: Call) => void];

/** Answers with what an API says of a dataset, or that there is none. */
const api =
  (find: (call: Call) => ServedDataset | undefined, bodyOf: (dataset: ServedDataset, call: Call) => unknown) =>
  (call: Call): void => {
    const dataset = find(call);
    reply(call.request, call.response, { dataset, body: dataset && bodyOf(dataset, call) });
  };

const dataverseOf = ({ served, query }: Call) => served.find('dataverse', query.get('persistentId'));

const DATAVERSE: readonly Route[] = [
  [/^\/dataset\.xhtml$/, (call) => sendLanding(call.response, dataverseOf(call), call.served.url)],
  [/^\/api\/datasets\/:persistentId\/?$/, api(dataverseOf, dataverseReply)],
  [
    /^\/api\/datasets\/:persistentId\/versions\/([^/]+)$/,
    api(dataverseOf, (dataset, { found }) => dataverseVersionReply(dataset, found[0]!)),
  ],
  [
    /^\/api\/access\/dataset\/:persistentId\/?(?:versions\/([^/]+))?$/,
    (call) => sendBundle(call, dataverseOf(call), call.found[0] || undefined),
  ],
  [
    /^\/api\/access\/datafile\/([^/]+)\/?$/,
    (call) => {
      const [id] = call.found;
      const number = id === ':persistentId' ? call.query.get('persistentId')!.split('/F').at(-1) : id;
      sendSigned(call, Number(number), call.query.get('format') === 'original' ? 'original' : 'usual');
    },
  ],
];

const zenodoOf = ({ served, found }: Call) => served.find('zenodo', found[0]);

const ZENODO: readonly Route[] = [
  [
    /^\/(?:records?|doi)\/([^/]+|10\.\d+\/[^/]+)$/,
    (call) => {
      const { served, response, found } = call;
      const latest = served.latestOf(found[0]!.replace(/^10\.\d+\/(zenodo\.)?/, ''));
      if (zenodoOf(call) === undefined && latest !== undefined) redirect(response, `/records/${latest.id}`);
      else sendLanding(response, zenodoOf(call), served.url);
    },
  ],
  [
    /^\/api\/records\/([^/]+)$/,
    api(zenodoOf, (dataset, { served }) =>
      dataset.platform === 'zenodo' ? zenodoReply(dataset, served.url) : inveniordmReply(dataset, served.url),
    ),
  ],
  [
    /^\/api\/records\/([^/]+)\/files$/,
    api(zenodoOf, (dataset, { served }) => inveniordmFilesReply(dataset, served.url)),
  ],
  [/^\/api\/records\/([^/]+)\/files-archive$/, (call) => sendBundle(call, zenodoOf(call))],
  [
    /^\/api\/records\/([^/]+)\/files\/([^/]+)\/content$/,
    (call) => sendFile(call, numberOf(zenodoOf(call), call.found[1])),
  ],
];

const figshareOf = ({ served, found }: Call) => served.find('figshare', found[0]);

const FIGSHARE: readonly Route[] = [
  [
    /^\/articles\/[^/]+\/[^/]+\/(\d+)(?:\/\d+)?$/,
    (call) => sendLanding(call.response, figshareOf(call), call.served.url),
  ],
  [
    /^\/v2\/articles\/(\d+)(?:\/versions\/(\d+))?(\/files)?$/,
    api(figshareOf, (dataset, { found, query, served }) => {
      const one = dataset.versions.find(({ version }) => version === (found[1] || dataset.version));
      return one && (found[2] ? figshareFilesReply(one, query) : figshareReply(dataset, one, served.url));
    }),
  ],
  [/^\/v2\/file\/download\/(\d+)$/, (call) => sendSigned(call, Number(call.found[0]))],
];

const archiveorgOf = ({ served, found }: Call) => served.find('archiveorg', found[0]);

const ARCHIVEORG: readonly Route[] = [
  [/^\/details\/([^/]+)$/, (call) => sendLanding(call.response, archiveorgOf(call), call.served.url)],
  [
    /^\/metadata\/([^/]+)$/,
    (call) => {
      const dataset = archiveorgOf(call);
      // An item that does not exist is an empty object.
      reply(call.request, call.response, { dataset, body: dataset === undefined ? {} : archiveorgReply(dataset) });
    },
  ],
  [/^\/download\/([^/]+)\/(.+)$/, (call) => sendFile(call, numberOf(archiveorgOf(call), call.found[1]))],
];

/** What the platforms answer, asked in order. */
export const ROUTES: readonly Route[] = [
  ...DATAVERSE,
  ...ZENODO,
  ...FIGSHARE,
  ...ARCHIVEORG,
  [/^\/storage\/(\d+)\/(\w+)$/, sendFromStorage],
  [/^\/files\/(\d+)\//, (call) => sendFile(call, Number(call.found[0]))],
];

function numberOf(dataset: ServedDataset | undefined, name: string | undefined): number | undefined {
  return dataset?.versions[0]?.files.find((file) => file.name === name)?.number;
}
