import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { Instruments } from './instrument.ts';

const FOLDER_TIMEOUT_MS = 2_000;

/** The newest backup of a store. */
export interface LastBackup {
  readonly made: string;
  readonly bytes: number;
}

interface WatchedBackup {
  readonly hasSchedule: boolean;
  /** Undefined when there is none. */
  last(): Promise<LastBackup | undefined>;
}

/** Metrics of scheduled backups; without a schedule, they have no values. */
export class BackupMetrics {
  readonly #runs;
  readonly #last;
  readonly #bytes;
  #backup: WatchedBackup | undefined;

  constructor(instruments: Instruments) {
    this.#runs = instruments.counter({
      name: 'tidemark_backups_total',
      help: 'How often a job of this process made a backup. outcome: done (it was compared with the store) or failed; the job says why.',
      labels: ['outcome'],
    });
    this.#last = instruments.gauge({
      name: 'tidemark_backup_last_success_timestamp_seconds',
      help: 'When the newest good backup in the folder was begun, as Unix time; 0 when there is none. Only with a schedule of backups.',
    });
    this.#bytes = instruments.gauge({
      name: 'tidemark_backup_bytes',
      help: 'Size of the newest good backup in bytes; 0 when there is none. Only with a schedule of backups.',
    });
    for (const outcome of ['done', 'failed']) this.#runs.inc({ outcome }, 0);
    for (const gauge of [this.#last, this.#bytes]) gauge.remove();
  }

  around<Made>(backUp: (signal: AbortSignal) => Promise<Made>): (signal: AbortSignal) => Promise<Made> {
    return async (signal) => {
      try {
        const made = await backUp(signal);
        this.#runs.inc({ outcome: 'done' });
        return made;
      } catch (error) {
        this.#runs.inc({ outcome: 'failed' });
        throw error;
      }
    };
  }

  watch(backup: WatchedBackup): void {
    this.#backup = backup;
  }

  /** Reads the folder. While it does not answer, the old values stay: the age still grows. */
  async read(): Promise<void> {
    if (!this.#backup?.hasSchedule) return;
    const reading = this.#backup.last().then((last) => ({ last }));
    const read = await withTimeout(reading, FOLDER_TIMEOUT_MS, () => undefined).catch(() => undefined);
    if (read === undefined) return;
    this.#last.set(read.last === undefined ? 0 : Date.parse(read.last.made) / 1000);
    this.#bytes.set(read.last?.bytes ?? 0);
  }
}
