import { afterAll, it } from 'vitest'
import { FORMATS } from '../../catalog/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { checkChunks, checkJsonRows, checkMemory, checkReadBack } from './random-checks.ts'

const { dir, session, close } = await openSession()
afterAll(close)

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]
const OTHERS = FORMATS.filter(format => format !== 'json')

it.each(OTHERS)(
  'random rows of eight seeds, read back from %s, equal the rows of JSON',
  format => checkReadBack(session, dir, format, SEEDS),
  300_000,
)

it.each(FORMATS)(
  'random rows of eight seeds in %s have the same bytes from memory as from the engine',
  format => checkMemory(session, format, SEEDS),
  300_000,
)

it.each(FORMATS)(
  'random rows of eight seeds in %s have the same bytes for any chunk sizes',
  format => checkChunks(session, dir, format, SEEDS),
  300_000,
)

it('random rows of eight seeds in JSON equal JSON.stringify of the engine’s values', () => checkJsonRows(session, dir, SEEDS), 300_000)
