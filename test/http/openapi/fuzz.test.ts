import { expect, it } from 'vitest'
import { service } from '../../support.ts'
import { sendRandomRequests } from './fuzz.ts'

it('S8: 400 random requests from the OpenAPI document get declared answers and no unexpected 5xx', async () => {
  const s = await service()
  try {
    await sendRandomRequests(s, 400)
    expect(s.lines.filter(line => line.includes('"event":"failed"'))).toEqual([])
  } finally {
    await s.close()
  }
})
