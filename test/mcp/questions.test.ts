import { testQuestions } from './questions.ts'

testQuestions('HTTP')
