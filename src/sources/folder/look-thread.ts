import { answerQuestions } from '../../lib/workers/questions.ts';
import { areCurrent } from './file-look.ts';

answerQuestions<string, string>(areCurrent);
