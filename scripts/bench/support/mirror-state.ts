import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MirrorState, STATE_FILE } from '../../../src/client/mirror/state/mirror-state.ts';
import { eventLine } from './events.ts';
import { SET } from './filled-source.ts';

const PER_COMMIT = 1_000_000;

/**
 * What a mirror would have recorded of the first `count` resources of a set. It compares lists with it, and reads no
 * files.
 * @param set URI of the set's Capability List
 */
export function makeMirrorState(
  folder: string,
  { set, count, log = () => {} }: { readonly set: string; readonly count: number; log?(text: string): void },
): void {
  mkdirSync(folder);
  const prefix = `https://repository.example.org/${SET}/`;
  const state = new MirrorState(join(folder, STATE_FILE));
  state.setFact('url', new URL('/', set).href);
  state.setFact('set', set);
  state.setFact('prefix', `${prefix}records/`);
  for (let number = 0; number < count; number++) {
    const { location, length, hash, lastmod } = JSON.parse(eventLine(number));
    const { id } = state.name(prefix + location.value);
    state.setCopied(id, { length, hash, lastmod, stamp: undefined }, undefined);
    if ((number + 1) % PER_COMMIT !== 0) continue;
    state.commit();
    log(`the copy has ${(number + 1).toLocaleString('en')} resources`);
  }
  state.commit();
  state.close();
}
