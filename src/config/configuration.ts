import type { ArtifactLocation } from '../artifacts/open-artifacts.ts';
import type { StoreLocation } from '../stores/locations.ts';
import type { SettingFields } from './settings.ts';

/** Fields of settings whose defaults depend on others, or which are put together from several. */
interface ComputedFields {
  /** The store of state and log. */
  readonly store: StoreLocation;
  /** The store of artifacts. */
  readonly artifacts: ArtifactLocation;
  /** The folder of everything else that this process stores: rendered documents, the state of scans. Absolute. */
  readonly dataFolder: string;
  /** The folder of scheduled backups of the store. Absolute. */
  readonly backupFolder: string;
  /** The configuration file that was named with `--config`. Absolute. */
  readonly file: string | undefined;
  /** The public base URL, which ends without a slash; `http://localhost:PORT` when none is set. */
  readonly baseUrl: string;
  readonly port: number;
  /** Whether a server logs a line for each request, at level info. */
  readonly accessLog: boolean;
  readonly logLevel: NonNullable<SettingFields['logLevel']>;
}

/** All settings, read once by load-configuration.ts: the meaning of a field is in its row of settings.ts. */
export interface Configuration extends Omit<SettingFields, keyof ComputedFields>, ComputedFields {}

/** Limits per minute; Infinity for no limit. */
export type RequestLimits = Pick<Configuration, 'tokenRequests' | 'tokenBody' | 'anonymousRequests'>;

export type HubSetting = Configuration['hub'];
