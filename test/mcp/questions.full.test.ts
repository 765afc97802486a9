import { describe } from 'vitest'
import { testQuestions } from './questions.ts'

describe('HTTP with protocol 2025-11-25', () => testQuestions('HTTP with protocol 2025-11-25'))
describe('stdio', () => testQuestions('stdio'))
