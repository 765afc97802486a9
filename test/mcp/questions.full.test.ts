import { describe } from 'vitest'
import { testQuestions } from './questions.ts'

describe('HTTP of 2025', () => testQuestions('HTTP of 2025'))
describe('stdio', () => testQuestions('stdio'))
