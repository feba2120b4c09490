import type { HtmlBiblio } from './landing/html-biblio.ts';
import type { Landing } from './landing/landing.ts';
import type { PlatformFile } from './manifest.ts';
import type { IngestRequest } from './request.ts';

/**
 * A kind of data platform (D28, D29): one file each in platforms/, and a row in platforms/platforms.ts, which are asked
 * in order. No other file names a platform.
 */
export interface DatasetPlatform {
  /** As results name it: `dataverse`. */
  readonly name: string;

  /** Whether a request that ended at this page is one of this platform (D22). Pure. */
  matchRequest(request: IngestRequest, landing: Landing, biblio: HtmlBiblio | undefined): boolean;

  /**
   * Reads the manifest and what else is known of the dataset.
   * @throws IngestFailure `platform-scope` for what is no single dataset version, `platform-restricted`,
   *   `platform-404`, `bad-platform-reply` for what is not understood, `error-platform-download` when the platform does
   *   not answer
   */
  processRequest(asked: AskedDataset, client: PlatformClient): Promise<PlatformDataset>;
}

export interface AskedDataset {
  readonly request: IngestRequest;
  readonly landing: Landing;
  readonly biblio: HtmlBiblio | undefined;
  /** Takes the latest version of a concept or group DOI, which is `platform-scope` otherwise (d12). */
  readonly followLatest: boolean;
}

/** What a platform says of a dataset: sandcrawler's PlatformDatasetContext. */
export interface PlatformDataset {
  readonly platformName: string;
  /** The host of its landing page, with its port unless that is the usual one, in lower case. */
  readonly platformDomain: string;
  readonly platformId: string;
  /** Part of the identity of a dataset (d11): `1.1`; absent where a platform has no versions. */
  readonly version?: string | undefined;
  /** A persistent identifier as a URI, such as `https://doi.org/10.7910/DVN/CLSFKX`. */
  readonly persistentId?: string | undefined;
  readonly landingUrl: string;
  /**
   * Of any number and order; ingest-dataset.ts refuses none, and too many. Paths as platforms/checked-manifest.ts makes
   * them.
   */
  readonly files: readonly PlatformFile[];
  /** A file with all of them, which the platform makes. */
  readonly bundle?: PlatformBundle | undefined;
  /** The dataset is an item of archive.org, whose name is `platformId`: always stored as one (d15). */
  readonly isArchiveorgItem?: boolean;
  /** As in DatasetManifest. */
  readonly notes?: readonly string[];
  /** For the metadata of an item: title, creator, date, description, license … */
  readonly archiveorgMetadata: Readonly<Record<string, string | readonly string[]>>;
  /** From which relative URLs of the dataset are resolved in a web archive; sandcrawler's field. */
  readonly webBaseUrl?: string | undefined;
}

interface PlatformBundle {
  readonly url: string;
  /** The name of the file, such as `dataverse_files.zip`. */
  readonly name: string;
  readonly mimetype: string;
}

/**
 * Requests to a platform's API. Tokens of platforms are added for their own hosts. Retries what may pass.
 * @throws IngestFailure for all that goes wrong: 401 and 403 are `platform-restricted`, 404 and 410 `platform-404`,
 *   a challenge `blocked-challenge`, a private address `blocked-network`, no answer or 5xx `error-platform-download`,
 *   another status, no JSON, too many bytes or too deep nesting `bad-platform-reply`
 */
export interface PlatformClient {
  /** @param accept media type; `application/json` by default */
  json(url: string, options?: { readonly accept?: string }): Promise<unknown>;
  /** As `json`, for any text, with the media type and the URL that it came from. */
  text(url: string, options?: { readonly accept?: string }): Promise<PlatformReply>;
}

export interface PlatformReply {
  readonly url: string;
  readonly mimetype: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}
