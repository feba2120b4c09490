import { html } from '../parts/html.ts';
import { type ApiPage, renderBesideContents, SHAPES } from './api-frame.ts';
import { type ApiGroup, groupsOf } from './api-groups.ts';
import { renderOperation } from './api-operation.ts';
import { renderSchema } from './api-schema.ts';

/**
 * The page of a group of operations, or the one of all shapes of JSON.
 * @param name in the address of the page; undefined is returned when there is no such page
 */
export function renderApiGroupPage(page: ApiPage, name: string): string | undefined {
  if (name === SHAPES.name) return renderShapes(page);
  const group = groupsOf(page.document).find((one) => one.name === name);
  return group && renderGroup(page, group);
}

function renderGroup(page: ApiPage, { name, title, description, operations }: ApiGroup): string {
  const { document, sets } = page;
  return renderBesideContents(page, {
    name,
    title: `${title} – API`,
    sections: operations.map(({ operation }) => ({ id: operation.operationId, title: operation.summary })),
    main: html`<h1>${title}</h1>
<p class="lead">${description}</p>
${operations.map((operation) => renderOperation(operation, document, sets))}`,
  });
}

function renderShapes(page: ApiPage): string {
  const schemas = Object.entries(page.document.components.schemas);
  return renderBesideContents(page, {
    ...SHAPES,
    title: `${SHAPES.title} – API`,
    sections: schemas.map(([name]) => ({ id: name, title: name })),
    main: html`<h1>${SHAPES.title}</h1>
<p class="lead">What requests and responses contain.</p>
${schemas.map(([name, schema]) => renderSchema(name, schema))}`,
  });
}
