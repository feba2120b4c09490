import type { App } from '../../src/app.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { AppliedUploads } from './applied-uploads.ts';
import { marc } from './upload-packages.ts';

/** Contents of records by id; undefined for a deletion. */
export type Notes = Readonly<Record<string, string | undefined>>;

/** Organizations with records of MARC, whose sets are synced when a test says so: no loop does it. */
export class Consortium {
  readonly #app: App;
  readonly #folder: string;
  readonly #uploads = new Map<string, AppliedUploads>();

  /** @param folder for sorting */
  constructor(app: App, folder: string) {
    this.#app = app;
    this.#folder = folder;
  }

  async add(organization: string, { isPrivate = false, stream = 'main' } = {}): Promise<void> {
    const { organizations } = this.#app.records;
    const title = `Library of ${organization}`;
    await organizations.add(organization, { title, contacts: [], private: isPrivate });
    await organizations.addStream(organization, stream);
    await this.sync(organization);
  }

  async put(organization: string, notes: Notes, stream = 'main'): Promise<void> {
    const place = { organization, stream, folder: this.#folder, eventsPerCommit: 1_000 };
    const name = `${organization}/${stream}`;
    const uploads = this.#uploads.get(name) ?? new AppliedUploads(this.#app, place);
    this.#uploads.set(name, uploads);
    const documents = Object.entries(notes).map(
      ([id, note]) => [id, note === undefined ? note : marc(id, note)] as const,
    );
    await uploads.apply(new Map(documents));
    await this.sync(organization);
  }

  async dump(organization: string, kind: 'full' | 'delta'): Promise<void> {
    await this.#app.records.streamDumps.build({ organization }, kind);
    await this.sync(organization);
  }

  /** The sets of an organization. That of the default stream comes first: others are made of it. */
  async sync(organization: string): Promise<void> {
    const { sets, sources, updater } = this.#app;
    for (const set of await sets.list()) {
      const { origin, slug } = set;
      if (!('organization' in origin) || origin.organization !== organization) continue;
      await sync({ set, source: sources.sourceOf(set), updater });
      await sets.markReady(slug);
    }
  }
}
