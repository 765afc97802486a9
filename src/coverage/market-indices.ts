import { type Dataset, HOMEPAGE_INDICES, type HomepageIndex } from '../../catalog/index.ts'
import { dayText } from '../core/index.ts'
import { type Chunk, fromParts, isValid, type Pool } from '../engine/index.ts'
import { type Release, type Releases, warningLabels } from '../releases/index.ts'

interface Close {
  readonly code: string
  readonly name: string
  readonly day: string
  readonly value: number
  readonly change: number | null
  readonly percent: number | null
}

type IndicesView = ReturnType<typeof indicesView>

/**
 * Reads the newest closing values for the home page. Cached per release.
 *
 * @throws Refusal data_unavailable
 */
export function createMarketIndices(dataset: Dataset | undefined, releases: Releases, pool: Pool): () => Promise<IndicesView> {
  let last: { readonly release: Release | null; readonly view: IndicesView } | undefined
  const served = (): Release | null => (dataset ? releases.served(dataset) : null)
  const read = async (release: Release | null): Promise<IndicesView> => {
    if (last?.release === release) return last.view
    const closes = release && (await releases.loadVerified(release, release.manifest.parts, () => newestCloses(release, pool)))
    const view = indicesView(release, closes ?? [])
    last = { release, view }
    return view
  }
  return async () => {
    const release = served()
    try {
      return await read(release)
    } catch (error) {
      const nowServed = served()
      if (nowServed === release) throw error
      return read(nowServed)
    }
  }
}

/** Body of `/v2/homepage/market-indices`. Omits indices without a closing value. */
function indicesView(release: Release | null, closes: readonly Close[]) {
  const data = release ? closesShown(release, closes) : []
  const days = data.map(({ trade_date }) => trade_date).sort()
  return {
    as_of: days.at(-1) ?? null,
    data,
    data_count: data.length,
    warnings: release ? warningLabels({ dataset: release.dataset, release }) : [],
  }
}

function closesShown({ manifest, dataset }: Release, closes: readonly Close[]) {
  const source = manifest.synthetic ? 'synthetic_sample' : dataset.lineage.selected
  return HOMEPAGE_INDICES.flatMap(index => {
    const close = closeOf(index, closes)
    if (!close) return []
    const { day, value, change, percent } = close
    return [
      { index_code: index.code, name: index.name, name_zh: index.nameZh, value, change, change_pct: percent, trade_date: day, source },
    ]
  })
}

/** Code of the exchange's index list. A renamed index has the same code. */
const INDEX_CODE = /^IX\d{4}$/

/**
 * Newest closing value of an index. If several names have a value on that day, uses the value under
 * the index's code.
 */
function closeOf({ code, nameZh, aliases }: HomepageIndex, closes: readonly Close[]): Close | undefined {
  const byCode = closes.filter(close => close.code === code)
  const names = [nameZh, ...aliases]
  const byName = closes.filter(close => !INDEX_CODE.test(close.code) && (names.includes(close.code) || names.includes(close.name)))
  return [...byCode, ...byName].reduce<Close | undefined>((best, close) => (best && best.day >= close.day ? best : close), undefined)
}

async function newestCloses({ manifest, pathOf }: Release, pool: Pool): Promise<readonly Close[]> {
  if (manifest.parts.length === 0) return []
  const names = HOMEPAGE_INDICES.flatMap(({ code, nameZh, aliases }) => [code, nameZh, ...aliases])
  const placeholders = names.map((_, index) => `$${index + 1}`).join(', ')
  const text = [
    `SELECT index_code, name, trade_date, value, change, change_pct FROM ${fromParts(manifest.parts.map(pathOf))}`,
    `WHERE index_code IN (${placeholders}) OR name IN (${placeholders})`,
    'QUALIFY row_number() OVER (PARTITION BY index_code ORDER BY trade_date DESC) = 1',
  ].join('\n')
  return pool.read({ text, values: names, once: true }, chunks => chunks.flatMap(closesOf))
}

function closesOf(chunk: Chunk): readonly Close[] {
  const [code, name, day, value, change, percent] = [0, 1, 2, 3, 4, 5].map(index => chunk.column(index))
  const figure = (vector: ReturnType<Chunk['column']>, row: number) => (isValid(vector, row) ? (vector.items[row] as number) : null)
  return Array.from({ length: chunk.rows }, (_, row) => ({
    code: code!.text(row),
    name: name!.text(row),
    day: dayText(day!.items[row] as number),
    value: value!.items[row] as number,
    change: figure(change!, row),
    percent: figure(percent!, row),
  }))
}
