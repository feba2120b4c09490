import { answerQuestions } from '../../threads/questions.ts';
import { type FileLook, isCurrent } from './file-look.ts';

answerQuestions<readonly FileLook[], readonly boolean[]>((looks) => looks.map(isCurrent));
