import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishFiles } from '../ingest/index.ts'
import { openWorkspace } from '../ingest/publish/index.ts'
import { clock } from './data.ts'

export const SEARCH_FOLDER = join(import.meta.dirname, '.data', 'search')

/** As many securities as on TWSE and TPEx together. Most are warrants. */
export interface Security {
  readonly ticker: string
  readonly name: string
}

const COMPANIES = 1_800
const WARRANTS = 24
const LETTERS = [
  ...'台積電聯發科鴻海廣達和碩仁寶英業緯創國泰富邦中信玉山第一華南兆豐統大立光學亞泥元太瑞昱群創友達長榮陽明萬海航運鋼鐵材料化工生技醫藥',
]
const ISSUERS = ['元大', '凱基', '群益', '國泰', '富邦', '統一', '永豐', '中信']

const companyName = (index: number): string =>
  [index % LETTERS.length, (index * 7 + 3) % LETTERS.length, (index * 31 + 11) % LETTERS.length].map(at => LETTERS[at]).join('')

function warrant(index: number): Security {
  const turn = Math.floor(index / COMPANIES)
  const [issuer, number] = [ISSUERS[turn % ISSUERS.length], String(1 + (turn % 90)).padStart(2, '0')]
  return {
    ticker: String(30_000 + index).padStart(6, '0'),
    name: `${companyName(index % COMPANIES)}${issuer}${53 + (turn % 5)}購${number}`,
  }
}

export const SECURITIES: readonly Security[] = [
  ...Array.from({ length: COMPANIES }, (_, index) => ({ ticker: String(1_000 + index), name: companyName(index) })),
  ...Array.from({ length: COMPANIES * WARRANTS }, (_, index) => warrant(index)),
]

export async function ensureSecurities(): Promise<void> {
  const done = join(SEARCH_FOLDER, 'done')
  if (existsSync(done)) return
  rmSync(SEARCH_FOLDER, { recursive: true, force: true })
  mkdirSync(SEARCH_FOLDER, { recursive: true })
  const file = join(SEARCH_FOLDER, 'securities.ndjson')
  const more = { market: 'TWSE', as_of_date: '2026-06-30', source_name: 'synthetic_sample' }
  writeFileSync(file, SECURITIES.map(security => `${JSON.stringify({ ...security, ...more })}\n`).join(''))
  const workspace = await openWorkspace(SEARCH_FOLDER, clock)
  const { status, faults } = await publishFiles(workspace, workspace.catalog.get('securities')!, [file], { accept: [], synthetic: true })
  workspace.close()
  rmSync(file)
  if (status !== 'published') throw new Error(`The securities were ${status}: ${JSON.stringify(faults)}`)
  writeFileSync(done, '')
}
