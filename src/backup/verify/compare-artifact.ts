import { createHash, hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import type { ArtifactStore, ObjectKey, ObjectRange } from '../../artifacts/artifact-store.ts';
import { parseJson, readJson } from '../../artifacts/json-object.ts';
import { sha256InSummary } from '../../artifacts/open-artifact.ts';
import { readPack, type VersionInPack } from '../../artifacts/version-pack.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { SEGMENT_MARK } from '../segment.ts';
import type { KnownArtifact } from './known-artifact.ts';
import type { RateLimit } from './rate-limit.ts';

/** What is wrong with an object, or with a part of it. */
export interface ArtifactFault {
  readonly key: ObjectKey;
  readonly range?: ObjectRange | undefined;
  readonly problem: string;
  /** Whether its bytes are wrong; else it is missing, or cannot be read. */
  readonly isDiffering: boolean;
}

interface ComparerParts {
  readonly artifacts: ArtifactStore;
  readonly rate: RateLimit;
  readonly signal: AbortSignal | undefined;
}

/** Reads artifacts at a limited rate, and compares them with their digests. Memory is that of one pack of versions. */
export class ArtifactComparer {
  readonly #parts: ComparerParts;
  /** Files of segments that were compared: several segments may list the same one. */
  readonly #compared = new Set<ObjectKey>();
  /** Bytes that were read. */
  bytes = 0;
  /** Number of artifacts for which no digest is known. */
  withoutDigest = 0;

  constructor(parts: ComparerParts) {
    this.#parts = parts;
  }

  /** @throws TidemarkError `unavailable` when the artifact store does not answer; the signal's reason */
  async faultsOf(artifact: KnownArtifact): Promise<readonly ArtifactFault[]> {
    const { key, expected, range } = artifact;
    if (typeof expected === 'object') return this.#against(key, expected.sha256, range);
    switch (expected) {
      case 'pack':
        return this.#guarded(key, () => this.#pack(key));
      case 'segment':
        return this.#guarded(key, () => this.#segment(key));
      case 'summary':
        return this.#guarded(key, () => this.#summarized(key));
      case 'checksum':
        return this.#guarded(key, () => this.#unpack(key));
      case 'json':
        return this.#guarded(key, () => this.#json(key));
      case 'nothing':
        this.withoutDigest += 1;
        return [];
    }
  }

  #against(key: ObjectKey, sha256: string, range?: ObjectRange): Promise<readonly ArtifactFault[]> {
    return this.#guarded(key, async () => {
      const found = createHash('sha256');
      const { body } = await this.#parts.artifacts.get(key, { ...this.#options, range });
      for await (const chunk of this.#read(body)) {
        found.update(chunk);
      }
      const digest = found.digest('hex');
      return digest === sha256 ? [] : [differing(key, `its SHA-256 is ${digest}, and not ${sha256}`, range)];
    });
  }

  async #pack(key: ObjectKey): Promise<readonly ArtifactFault[]> {
    const pack = await this.#bytes(key);
    const inMemory = {
      readSmall: async (_: ObjectKey, range?: ObjectRange) =>
        range === undefined ? pack : pack.subarray(range.start, range.start + range.length),
    };
    const compared = (await readPack(inMemory, { key, length: pack.length })).map((entry) => {
      const found = hash('sha256', pack.subarray(entry.offset, entry.offset + entry.length), 'hex');
      return { ...entry, found };
    });
    const whole = compared.filter(({ digest, found }) => found === digest);
    return compared.flatMap((entry) => {
      const { digest, offset, length, found } = entry;
      if (found === digest) return [];
      const place = `${length} bytes from byte ${offset} on`;
      // It is the directory that is damaged: the versions that are there are not.
      if (offset + length > pack.length || whole.some((other) => overlap(entry, other))) {
        return [{ key, problem: `its directory is damaged: it has a version of ${place}`, isDiffering: false }];
      }
      const problem = `the SHA-256 of ${place} is ${found}, and not ${digest}`;
      return [differing(key, problem, { start: offset, length })];
    });
  }

  async #json(key: ObjectKey): Promise<readonly ArtifactFault[]> {
    parseJson(key, (await this.#bytes(key)).toString(), z.unknown());
    return [];
  }

  async #segment(key: ObjectKey): Promise<readonly ArtifactFault[]> {
    const mark = await readJson(this.#parts.artifacts, key, SEGMENT_MARK);
    if (mark === undefined) return [missing(key)];
    const faults: ArtifactFault[] = [];
    for (const listed of [mark.changes, mark.orders, mark.documents, mark.positions]) {
      if (listed === undefined || this.#compared.has(listed.file)) continue;
      this.#compared.add(listed.file);
      faults.push(...(await this.#against(listed.file, listed.sha256)));
    }
    return faults;
  }

  async #summarized(key: ObjectKey): Promise<readonly ArtifactFault[]> {
    const sha256 = await sha256InSummary(this.#parts.artifacts, key);
    if (sha256 !== undefined) return this.#against(key, sha256);
    this.withoutDigest += 1;
    return [];
  }

  /** gunzip compares the bytes with the checksum at their end. */
  async #unpack(key: ObjectKey): Promise<readonly ArtifactFault[]> {
    const { body } = await this.#parts.artifacts.get(key, this.#options);
    await pipeline(this.#read(body), createGunzip(), async (unpacked) => {
      for await (const _ of unpacked);
    });
    return [];
  }

  async #bytes(key: ObjectKey): Promise<Buffer> {
    return buffer(this.#read((await this.#parts.artifacts.get(key, this.#options)).body));
  }

  async *#read(body: Readable): AsyncGenerator<Uint8Array> {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      yield chunk;
      this.bytes += chunk.length;
      await this.#parts.rate.spend(chunk.length, this.#parts.signal);
    }
  }

  /** An object that cannot be read is at fault only if the store answers. */
  async #guarded(key: ObjectKey, compare: () => Promise<readonly ArtifactFault[]>): Promise<readonly ArtifactFault[]> {
    const { artifacts, signal } = this.#parts;
    try {
      return await compare();
    } catch (error) {
      signal?.throwIfAborted();
      const at = isTidemarkError(error) && typeof error.details.key === 'string' ? error.details.key : key;
      if (isTidemarkError(error, 'not-found')) return [missing(at)];
      if (isTidemarkError(error, 'invalid')) return [differing(at, error.message)];
      if (isZlibError(error)) return [differing(at, `it cannot be unpacked: ${error.message}`)];
      if (!isTidemarkError(error, 'unavailable')) throw error;
      // A server that denies an object denies its description, too.
      await artifacts.folders('');
      return [{ key: at, problem: `it cannot be read: ${error.message}`, isDiffering: false }];
    }
  }

  get #options() {
    return { signal: this.#parts.signal };
  }
}

function differing(key: ObjectKey, problem: string, range?: ObjectRange): ArtifactFault {
  return { key, problem, isDiffering: true, ...(range !== undefined && { range }) };
}

function overlap(one: VersionInPack, other: VersionInPack): boolean {
  return one.offset < other.offset + other.length && other.offset < one.offset + one.length;
}

function missing(key: ObjectKey): ArtifactFault {
  return { key, problem: 'it is missing', isDiffering: false };
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
