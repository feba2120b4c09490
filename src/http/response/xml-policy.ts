/**
 * The Content-Security-Policy of XML. Chromium shows it with an inline style sheet and pictures of its own, which
 * differ between its versions; Firefox shows it with a page of its own, which no policy concerns. Nothing else is
 * loaded.
 */
export const XML_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
