import type { ComponentChildren } from 'preact'
import type { CatalogDataset } from '../../clients/typescript/src/index.ts'
import { descriptionOf, titleOf } from '../api/catalog.ts'
import type { Rows } from '../api/client.ts'
import { freshnessWords, gapWords } from './labels.ts'
import { credits, linkTo, number, say, type Words } from './language.ts'

export const SYNTHETIC = 'synthetic_sample_data'

export interface FactsProps {
  readonly rows: Rows
  /** Undefined while the catalog is loading. */
  readonly dataset: CatalogDataset | undefined
}

export function Facts({ rows, dataset }: FactsProps) {
  const { release, dataAsOf, charged } = rows
  const isSynthetic = rows.warnings.includes(SYNTHETIC)
  const gaps = [...new Set([...(dataset ? rows.knownGaps : []), ...rows.warnings.filter(label => label !== 'not_investment_advice')])]
  const notes = new Map(dataset?.known_gap_notes.map(note => [note.label, descriptionOf(note)]))
  return (
    <details class="facts">
      <summary>
        {dataset ? titleOf(dataset) : say({ en: 'Source', zh: '來源' })}
        {dataAsOf && say({ en: `, ${dataAsOf}`, zh: `，${dataAsOf}` })}
        {dataset && dataset.freshness_state !== 'fresh' && (
          <span class={`state-${dataset.freshness_state}`}> {say(freshnessWords(dataset.freshness_state))}</span>
        )}
      </summary>
      <dl>
        {dataset?.source && (
          <Fact words={isSynthetic ? { en: 'Sample data in the format of', zh: '合成資料，格式依' } : { en: 'Source', zh: '來源' }}>
            <a href={dataset.source.url} rel="noreferrer noopener">
              {say({ en: dataset.source.attribution, zh: dataset.source.attribution_zh })}
            </a>
          </Fact>
        )}
        {dataset && (
          <Fact words={{ en: 'Dataset', zh: '資料集' }}>
            <a href={linkTo(`/datasets/${dataset.slug}`)}>{titleOf(dataset)}</a>
          </Fact>
        )}
        {dataAsOf && <Fact words={{ en: 'Data as of', zh: '資料至' }}>{dataAsOf}</Fact>}
        {dataset && (
          <Fact words={{ en: 'Freshness', zh: '更新時效' }}>
            <span class={`state-${dataset.freshness_state}`}>{say(freshnessWords(dataset.freshness_state))}</span>
          </Fact>
        )}
        {release && (
          <Fact words={{ en: 'Release', zh: '版本' }}>
            <code>{release}</code>
          </Fact>
        )}
        <Fact words={{ en: 'Cost', zh: '費用' }}>
          {charged === null ? say({ en: 'none for visitors', zh: '訪客免費' }) : credits(charged)}
        </Fact>
        <Fact words={{ en: 'Rows', zh: '列數' }}>{number(rows.rows.length)}</Fact>
      </dl>
      {rows.next !== null && (
        <p>{say({ en: 'Not all rows are shown. The explorer reads all of them.', zh: '此處未顯示全部資料列，可於探索頁查看全部。' })}</p>
      )}
      {gaps.length > 0 && (
        <>
          <p>{say({ en: `Known gaps and warnings (${gaps.length})`, zh: `已知缺漏與警語（${gaps.length}）` })}</p>
          <ul class="gaps">
            {gaps.map(label => (
              <li key={label}>{notes.get(label) ?? say(gapWords(label))}</li>
            ))}
          </ul>
        </>
      )}
    </details>
  )
}

const Fact = ({ words, children }: { readonly words: Words; readonly children: ComponentChildren }) => (
  <>
    <dt>{say(words)}</dt>
    <dd>{children}</dd>
  </>
)

export const SampleBadge = () => <span class="badge sample">{say({ en: 'sample data', zh: '合成資料' })}</span>
