import { FORMS, testDamagedAnswers } from './damage-in-answers.ts'

testDamagedAnswers(FORMS.slice(0, 1))
