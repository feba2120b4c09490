import { DamagedFile } from '../packages/found-file.ts';

/** A file has bytes that are not in its encoding. */
export class WrongEncoding extends DamagedFile {}
