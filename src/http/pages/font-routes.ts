import { get, type Route } from '../request/route.ts';
import { FONT_FILES, fontBytes } from './parts/font.ts';

/** The font of pages. It is public, since the sign-in page uses it, too. */
export function fontRoutes(): readonly Route[] {
  return FONT_FILES.map((file, at) =>
    get(`/fonts/${file}`, {
      action: 'read-source',
      id: `font${at + 1}`,
      tag: 'pages',
      summary: 'A part of the font of pages',
      answers: [{ status: 200, description: 'The font, which never changes.', content: { 'font/woff2': 'bytes' } }],
      handle(_request, response) {
        response.set({ 'Content-Type': 'font/woff2', 'Cache-Control': 'public, max-age=31536000, immutable' });
        response.send(fontBytes(file));
      },
    }),
  );
}
