import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { ask } from './ask.ts';

const PACKAGE =
  /<loc>([^<]*)<\/loc><rs:md from="([^"]*)" until="([^"]*)" hash="sha-256:([0-9a-f]*)" length="(\d+)" type="application\/zip"\/><rs:ln rel="contents" href="([^"]*)"/g;
const CHANGE =
  /<url><loc>([^<]*)<\/loc>(?:<lastmod>[^<]*<\/lastmod>)?<rs:md change="([a-z]*)" datetime="([^"]*)"(?: hash="sha-256:([0-9a-f]*)" length="(\d+)" type="([^"]*)" path="([^"]*)")?\/>/g;

/**
 * The Change Dump of a set: what the manifest of each package says of each change, with the bytes. All that it says is
 * compared with what is served. Undefined when there is none.
 */
export async function readChangeDump(home: string) {
  const { status, text } = await ask(`${home}/changedump.xml`);
  if (status !== 200) return undefined;
  const from = /capability="changedump" from="([^"]*)"\/>/.exec(text)![1]!;
  const packages = [];
  for (const [, uri = '', begins = '', until = '', hash, length, contents = ''] of text.matchAll(PACKAGE)) {
    const { bytes, headers } = await ask(uri);
    assert.equal(sha256(bytes), hash);
    assert.equal(String(bytes.length), length);
    assert.match(headers['cache-control']!, /immutable/);
    const files = unpack(bytes);
    const manifest = (await ask(contents)).text;
    assert.equal(files.get('manifest.xml')!.toString(), manifest);
    assert.match(manifest, new RegExp(`capability="changedump-manifest" from="${begins}" until="${until}"`));
    assert.ok(manifest.includes(`<rs:ln rel="up" href="${home}/capabilitylist.xml"/>`));
    packages.push({
      uri,
      bytes,
      from: begins,
      until,
      changes: changesOf(manifest, { home, files }),
      names: files.size,
    });
  }
  return { from, packages };
}

interface ReadPackage {
  readonly home: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

function changesOf(manifest: string, { home, files }: ReadPackage) {
  return [...manifest.matchAll(CHANGE)].map(([, loc = '', kind, datetime = '', hash, length, , path]) => {
    const name = loc.slice(`${home}/resources/`.length);
    if (path === undefined) return { name, kind, datetime };
    assert.match(path, /^\/[^/]/);
    const bytes = files.get(path.slice(1))!;
    assert.equal(sha256(bytes), hash);
    assert.equal(String(bytes.length), length);
    return { name, kind, datetime, content: bytes.toString() };
  });
}

/** By its central directory: what precedes a large entry says nothing of its sizes. */
function unpack(zip: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = zip.readUInt32LE(zip.length - 22 + 16); zip.readUInt32LE(at) === 0x02014b50; ) {
    const [method, packed, header] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
    const [nameLength, extraLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    const data = zip.subarray(start, start + packed);
    files.set(zip.toString('utf8', at + 46, at + 46 + nameLength), method === 8 ? inflateRawSync(data) : data);
    at += 46 + nameLength + extraLength;
  }
  return files;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
