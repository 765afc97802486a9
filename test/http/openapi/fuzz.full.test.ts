import { it } from 'vitest'
import { service } from '../../support.ts'
import { sendRandomRequests } from './fuzz.ts'

it('S8: 20,000 random requests from the OpenAPI document get declared answers and no unexpected 5xx', async () => {
  const s = await service()
  try {
    await sendRandomRequests(s, 20_000)
  } finally {
    await s.close()
  }
}, 1_200_000)
