import type { CatalogDataset } from '../../clients/typescript/src/index.ts'
import { descriptionOf, titleOf } from '../api/catalog.ts'
import type { Rows } from '../api/client.ts'
import { freshnessWords, gapWords } from './labels.ts'
import { credits, linkTo, number, say } from './language.ts'

export const SYNTHETIC = 'synthetic_sample_data'

export interface FactsProps {
  readonly rows: Rows
  /** The dataset's entry in the catalog; undefined while loading. */
  readonly dataset: CatalogDataset | undefined
}

/**
 * Metadata of a read: source, release, date of the data, freshness, cost, known gaps and warnings.
 */
export function Facts({ rows, dataset }: FactsProps) {
  const { release, dataAsOf, charged } = rows
  const isSynthetic = rows.warnings.includes(SYNTHETIC)
  const gaps = [...new Set([...(dataset ? rows.knownGaps : []), ...rows.warnings.filter(label => label !== 'not_investment_advice')])]
  const notes = new Map(dataset?.known_gap_notes.map(note => [note.label, descriptionOf(note)]))
  return (
    <div class="facts">
      <ul>
        {dataset && (
          <li>
            <a href={linkTo(`/datasets/${dataset.slug}`)}>{titleOf(dataset)}</a>
          </li>
        )}
        {dataset?.source && (
          <li>
            {isSynthetic ? say({ en: 'Sample data in the format of:', zh: '合成資料，格式依：' }) : say({ en: 'Source:', zh: '來源：' })}{' '}
            <a href={dataset.source.url} rel="noreferrer noopener">
              {say({ en: dataset.source.attribution, zh: dataset.source.attribution_zh })}
            </a>
          </li>
        )}
        {dataAsOf && (
          <li>
            {say({ en: 'Data as of', zh: '資料至' })} {dataAsOf}
          </li>
        )}
        {dataset && (
          <li class={`state-${dataset.freshness_state}`}>
            <span class="visually-hidden">{say({ en: 'Freshness:', zh: '時效：' })} </span>
            {say(freshnessWords(dataset.freshness_state))}
          </li>
        )}
        {release && (
          <li>
            {say({ en: 'Release', zh: '版本' })} <code>{release}</code>
          </li>
        )}
        <li>
          {charged === null
            ? say({ en: 'Cost: none for visitors', zh: '花費：訪客免費' })
            : say({ en: 'Cost: ', zh: '花費：' }) + credits(charged)}
        </li>
        <li>{say({ en: `${number(rows.rows.length)} rows`, zh: `${number(rows.rows.length)} 列` })}</li>
      </ul>
      {rows.next !== null && (
        <p>{say({ en: 'Not all rows are shown. The explorer reads all of them.', zh: '此處未顯示全部資料列，可於探索頁讀取。' })}</p>
      )}
      {gaps.length > 0 && (
        <details>
          <summary>{say({ en: `Known gaps and warnings (${gaps.length})`, zh: `已知缺漏與警語（${gaps.length}）` })}</summary>
          <ul class="gaps">
            {gaps.map(label => (
              <li key={label}>{notes.get(label) ?? say(gapWords(label))}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** Marks rows as sample data. */
export const SampleBadge = () => <span class="badge sample">{say({ en: 'sample data', zh: '合成資料' })}</span>
