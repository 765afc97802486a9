import { expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { checkExamples } from './examples.ts'

it('every optional parameter accepts its documented example', async () => {
  const s = await service()
  try {
    const response = await s.get('/openapi.json')
    expect(response.statusCode).toBe(200)
    await checkExamples(s, response.json() as OpenApi, true)
  } finally {
    await s.close()
  }
}, 300_000)
