import type { Repositories } from './repositories.ts';
import type { RepositoriesParts } from './repositories-parts.ts';

/** Sets of records as repositories of OAI-PMH. */
export interface SetRepositories extends ReturnType<typeof openRepositories> {}

/** Loads what reads and converts records when it is first used: most processes never serve them so. */
export function openRepositories(parts: RepositoriesParts) {
  let opened: Promise<Repositories> | undefined;
  const open = async () => {
    const { Repositories } = await import('./repositories.ts');
    return new Repositories(parts);
  };
  const repositories = () => {
    opened ??= open();
    return opened;
  };
  return {
    /** @see Repositories.answer */
    answer: async (...request: Parameters<Repositories['answer']>) => (await repositories()).answer(...request),
    /** @see Repositories.answerAll */
    answerAll: async (...request: Parameters<Repositories['answerAll']>) =>
      (await repositories()).answerAll(...request),
    /** @see Repositories.staticRepository */
    staticRepository: async (...set: Parameters<Repositories['staticRepository']>) =>
      (await repositories()).staticRepository(...set),
  };
}
