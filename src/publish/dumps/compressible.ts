const TEXTS =
  /^text\/|[+/](?:xml|json|yaml|javascript|ecmascript|sql|csv|rtf|postscript)$|^application\/(?:x-ndjson|n-triples|n-quads|trig|wasm|x-tar|marc)$/;
const RAW_IMAGES = /^image\/(?:bmp|x-ms-bmp|svg|x-portable-\w+)/;

/** Whether deflating bytes of a media type saves much: not for most images, audio and video. */
export function isCompressible(mime: string | undefined): boolean {
  if (mime === undefined) return false;
  const [type = ''] = mime.toLowerCase().split(';', 1);
  return TEXTS.test(type.trim()) || RAW_IMAGES.test(type);
}
