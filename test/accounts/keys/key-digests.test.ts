import { expect, it } from 'vitest'
import { createKeyFinder } from '../../../src/accounts/keys/key-holder.ts'
import { openState } from '../../../src/state/db.ts'
import { createVault } from '../../../src/state/vault.ts'
import { NOW } from '../../support.ts'

it('key digests are cached for a bounded number of keys, and the least recently used digests are evicted', () => {
  const db = openState(':memory:')
  const vault = createVault(['pepper'], [Buffer.alloc(32, 1)])
  const made: string[] = []
  const counting = {
    ...vault,
    lookups: (secret: string) => {
      made.push(secret)
      return vault.lookups(secret)
    },
  }
  const find = createKeyFinder(db, counting, 2)
  for (const key of ['a', 'a', 'b', 'a', 'c', 'a', 'b']) find(key, NOW)
  expect(made).toEqual(['a', 'b', 'c', 'b'])
  db.close()
})
