/**
 * The Content-Security-Policy of XML. Chromium shows XML with an inline style sheet and pictures, which differ between
 * its versions; Firefox shows it in a page of its own, to which no policy applies. Nothing else is loaded.
 */
export const XML_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
