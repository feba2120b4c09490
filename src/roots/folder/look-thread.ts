import { answerQuestions } from '../../threads/questions.ts';
import { areCurrent } from './file-look.ts';

answerQuestions<string, string>(areCurrent);
