import type { Configuration } from '../../config/configuration.ts';
import { VERSION } from '../../config/version.ts';
import type { Render } from '../../publish/cache/document-cache.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { RequestCounts } from '../../stores/request-counts.ts';
import type { StoreObserver } from '../../stores/store-observer.ts';
import { ArchiveMetrics } from './archive-metrics.ts';
import { BackupMetrics, type LastBackup } from './backup-metrics.ts';
import { DatasetMetrics } from './dataset-metrics.ts';
import { HttpMetrics } from './http-metrics.ts';
import { IndexMetrics } from './index-metrics.ts';
import { Instruments } from './instrument.ts';
import { JobMetrics } from './job-metrics.ts';
import { LiveServer } from './live-server.ts';
import { NotificationMetrics } from './notification-metrics.ts';
import { ORGANIZATION_METRICS, OrganizationMetrics } from './organization-metrics.ts';
import { Registry } from './prometheus.ts';
import { withRenderMetrics } from './render-metrics.ts';
import { ScanMetrics } from './scan-metrics.ts';
import { ScannerMetrics } from './scanner-metrics.ts';
import { SOURCE_METRICS_OF_STORE, type SourceFigures, SourceMetrics, type SourceParts } from './source-metrics.ts';
import { storeMetrics } from './store-metrics.ts';

/** What is measured of an app once it is open. */
interface WatchedApp extends Omit<SourceParts, 'cache' | 'publisher' | 'comparesArtifacts'> {
  readonly configuration: Pick<Configuration, 'verifyArtifactsDays' | 'backupSchedule'>;
  readonly backup: { state(): Promise<{ readonly last?: LastBackup | undefined } | undefined> };
  readonly publishing: Pick<SourceParts, 'cache' | 'publisher'>;
  readonly catalog: Pick<Catalog, 'list'>;
  readonly records: { readonly overview: Parameters<OrganizationMetrics['watch']>[0] };
  readonly jobs: { readonly queue: Parameters<JobMetrics['watch']>[0] };
  readonly notifications: Parameters<NotificationMetrics['watch']>[0];
  readonly scanners: Parameters<ScannerMetrics['watch']>[0];
}

/** The metrics of one app. app.ts wraps the measured parts, which do not depend on metrics. */
export class AppMetrics {
  readonly registry = new Registry();
  /** Also counted by the render threads. */
  readonly requests = new RequestCounts();
  readonly http: HttpMetrics;
  readonly index: IndexMetrics;
  readonly scans: ScanMetrics;
  readonly scanners: ScannerMetrics;
  readonly archive: ArchiveMetrics;
  readonly backups: BackupMetrics;
  readonly jobs: JobMetrics;
  readonly notifications: NotificationMetrics;
  readonly datasets: DatasetMetrics;
  readonly organizations: OrganizationMetrics;
  readonly store: StoreObserver;
  readonly #instruments = new Instruments(this.registry);
  /** The figures of the server since its start. */
  readonly live = new LiveServer(this);
  #source: SourceMetrics | undefined;

  constructor(storeKind: string) {
    const instruments = this.#instruments;
    const info = instruments.gauge({
      name: 'tidemark_info',
      help: 'Always 1. Its labels are the version of Tidemark and the kind of its store.',
      labels: ['version', 'store'],
    });
    info.set({ version: VERSION, store: storeKind }, 1);
    this.index = new IndexMetrics(instruments);
    this.store = storeMetrics(instruments, this.requests);
    this.scans = new ScanMetrics(instruments);
    this.scanners = new ScannerMetrics(instruments);
    this.archive = new ArchiveMetrics(instruments);
    this.backups = new BackupMetrics(instruments);
    this.jobs = new JobMetrics(instruments);
    this.notifications = new NotificationMetrics(instruments);
    this.datasets = new DatasetMetrics(instruments);
    this.organizations = new OrganizationMetrics(instruments);
    this.http = new HttpMetrics(this.registry);
  }

  aroundRender(render: Render): Render {
    return withRenderMetrics(render, this.#instruments);
  }

  /** Adds the metrics of an app. */
  watch(app: WatchedApp): void {
    const comparesArtifacts = Number.isFinite(app.configuration.verifyArtifactsDays);
    this.#source = new SourceMetrics(this.#instruments, { ...app, ...app.publishing, comparesArtifacts });
    const hasSchedule = app.configuration.backupSchedule !== 'off';
    this.backups.watch({ hasSchedule, last: async () => (await app.backup.state())?.last });
    this.scanners.watch(app.scanners);
    this.jobs.watch(app.jobs.queue);
    this.notifications.watch(app.notifications);
    this.datasets.watch(app.catalog);
    this.organizations.watch(app.records.overview);
  }

  async readSource(): Promise<SourceFigures> {
    return this.#source!.read();
  }

  /**
   * In the exposition format of Prometheus. While the store does not answer, a comment names the old figures.
   * @param namesAll whether the reader may read all private organizations
   */
  async text(namesAll = false): Promise<string> {
    const [{ store }, hasScanners, hasJobs, hasSubscriptions, hasSinks, hasOrganizations] = await Promise.all([
      this.readSource(),
      this.scanners.read(),
      this.jobs.read(),
      this.notifications.read(),
      this.datasets.read(),
      this.organizations.read(),
      this.backups.read(),
    ]);
    const old = [
      ...(store === undefined ? SOURCE_METRICS_OF_STORE : []),
      ...(hasScanners ? [] : ['tidemark_unscanned_sets']),
      ...(hasJobs ? [] : ['tidemark_jobs']),
      ...(hasSubscriptions ? [] : ['tidemark_subscriptions']),
      ...(hasSinks ? [] : ['tidemark_dataset_sink_behind']),
      ...(hasOrganizations ? [] : ORGANIZATION_METRICS),
    ];
    const note =
      old.length === 0 ? '' : `# The store did not answer. Of its last answer, or missing: ${old.join(', ')}\n`;
    const { processMetrics } = await import('./process-metrics.ts');
    const [own, ofProcess] = await Promise.all([this.registry.metrics(), processMetrics().metrics()]);
    return note + (namesAll ? own : this.organizations.withoutPrivate(own)) + ofProcess;
  }
}
