import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { CatalogDataset, DryRun, SchemaColumn } from '../../../clients/typescript/src/index.ts'
import { titleOf } from '../../api/catalog.ts'
import type { Refused, Row } from '../../api/client.ts'
import { browserSession } from '../../frame/account.ts'
import type { DrawnChart } from '../../parts/chart-draw.ts'
import { CodeSamples } from '../../parts/code-samples.tsx'
import { Copy } from '../../parts/copy.tsx'
import { csvOf } from '../../parts/csv.ts'
import { SampleBadge, SYNTHETIC } from '../../parts/facts.tsx'
import { emptyWords } from '../../parts/labels.ts'
import { credits, number, planName, rowCount, say, size } from '../../parts/language.ts'
import { isPhone } from '../../parts/phone.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { RowsTable } from '../../parts/rows-table.tsx'
import { saveAs } from '../../parts/save.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import { firstAxes } from './axes.ts'
import { ColumnChart } from './column-chart.tsx'
import { Columns } from './columns.tsx'
import { Download, type FormatId } from './download.tsx'
import { MOST_ROWS, useEstimate, useRowLimit } from './estimate.ts'
import { Filters } from './filters.tsx'
import { LeftOut } from './left-out.tsx'
import { Extent, Picker } from './picker.tsx'
import { HeadProfile, useProfile } from './profile.tsx'
import {
  type Axes,
  addressOf,
  completed,
  type Described,
  figuresFirst,
  isSameRows,
  pathOf,
  type Question,
  queryOf,
  questionIn,
  sortedBy,
  unknownIn,
  withoutRange,
} from './question.ts'
import { ReleaseSlider, useReleases } from './releases.tsx'
import { useRowPages } from './row-pages.ts'
import { MOST_COMPARED, useCompared } from './use-compared.ts'

interface ExplorerProps {
  readonly datasets: readonly CatalogDataset[]
  readonly described: Described
}

/** Queries a dataset, shows the rows and downloads them. The address contains the query. */
export function Explorer({ datasets, described: given }: ExplorerProps) {
  const described = useMemo(() => given, [given.dataset, given.schema])
  const { dataset, schema } = described
  const shown = useSignal(completed(questionIn(location.search), described))
  const draft = useSignal(shown.value)
  const [format, heads] = [useSignal<FormatId>('csv'), useSignal<boolean | null>(null)]

  const unknown = useSignal(unknownIn(questionIn(location.search), described))

  const place = useSignal<{ readonly row: number } | null>(null)

  const show = (question: Question) => {
    place.value = null
    const next = completed(question, described)
    draft.value = next
    if (addressOf(next) === addressOf(shown.value)) return
    const address = `${location.pathname}${addressOf(next)}`
    // Only a new query adds an entry to the browser's history.
    if (isSameRows(next, shown.value)) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
    shown.value = next
    unknown.value = unknownIn(next, described)
  }
  /** Changes the query of the shown rows. Unsent input in the form stays. */
  const change = (part: (question: Question) => Question) => {
    const typed = addressOf(draft.value) === addressOf(shown.value) ? null : part(draft.value)
    show(part(shown.value))
    if (typed) draft.value = typed
  }
  useEffect(() => {
    const back = () => {
      shown.value = completed(questionIn(location.search), described)
      draft.value = shown.value
      unknown.value = unknownIn(questionIn(location.search), described)
    }
    addEventListener('popstate', back)
    // Profiles (value distributions) cost an account one read. By default, only visitors see
    // profiles.
    void browserSession().then(who => {
      heads.value ??= who !== null && !who.signed_in
    })
    return () => removeEventListener('popstate', back)
  }, [described])

  const question = shown.value
  const estimate = useEstimate(described, draft.value, format.value)
  const limit = useRowLimit(estimate.value)
  const profile = useProfile(described, heads.value ? question : null)
  const isSettled = addressOf(draft.value) === addressOf(question)
  const counted = profile.state === 'done' ? profile.value!.row_count : null
  const foretold = isSettled && estimate.value?.rows_are === 'exact' && !estimate.value.limited ? estimate.value.rows : null
  const { paged, view } = useRowPages(described, question.release === null ? question : null, limit, counted ?? foretold)
  // If the example has no rows, starts with a day that has rows.
  const isEmptyExample =
    (paged.value.first?.emptyReason ?? 'not_built') !== 'not_built' &&
    location.search === '' &&
    !question.isDay &&
    dataset.links.cross_section !== undefined
  useEffect(() => {
    if (isEmptyExample) shown.value = draft.value = completed({ ...question, filters: {}, isDay: true }, described)
  }, [isEmptyExample])
  const releases = useReleases(dataset.slug)
  const comparison = useCompared(described, question, limit)
  const { rows, count, first, refused, state, charged, reads, remaining } = paged.value
  const compared = comparison.state === 'done' ? comparison : null
  const answer = compared?.older ?? first
  const hasAnswered = useRef(false)
  const loaded = useMemo(() => rows.filter(row => row !== undefined), [rows])
  const refusal =
    estimate.refused ??
    (isSettled ? expectedRefusal(estimate.value) : null) ??
    refused ??
    (comparison.state === 'refused' ? comparison.refused : null)
  // The sections below the rows would move when the first answer replaces the placeholder, so they
  // are rendered with that answer.
  hasAnswered.current ||= answer !== null || refusal !== null || comparison.state === 'too_many'
  const columns = useMemo(
    () => schema.columns.filter(({ name }) => question.columns === null || question.columns.includes(name)),
    [schema, question.columns?.join()],
  )
  const tableColumns = useMemo(
    () => (isPhone.value ? figuresFirst(columns, described, question) : columns),
    [columns, described, question, isPhone.value],
  )
  const profiles = new Map((profile.state === 'done' ? profile.value!.data : []).map(one => [one.name, one]))
  const seen = (column: string) => (profiles.get(column)?.top ?? []).map(({ value }) => String(value))
  const narrow = (filters: Question['filters']) => change(one => ({ ...one, filters: { ...one.filters, ...filters } }))
  const go = (column: string, row: number) => {
    change(one => ({ ...one, sort: [{ column, direction: 'asc' }] }))
    place.value = { row }
  }

  return (
    <div class="explore">
      <Picker datasets={datasets} dataset={dataset} />
      <form
        onSubmit={event => {
          event.preventDefault()
          show(draft.value)
        }}
      >
        {dataset.links.cross_section === undefined ? null : <Extent question={draft.value} onChange={show} />}
        <Filters
          described={described}
          question={draft.value}
          seen={seen}
          onChange={filters => {
            draft.value = { ...draft.value, filters }
          }}
          onRemoveRange={column => change(one => withoutRange(one, column))}
        />
        <p class="run">
          <button type="submit" class="primary">
            {say({ en: 'Show', zh: '查詢' })}
          </button>{' '}
          <Estimate estimate={estimate.value} price={dataset.credits_per_call} plan={dataset.minimum_plan} />
        </p>
      </form>
      <LeftOut unknown={unknown.value} described={described} isDay={question.isDay} />
      {refusal && <RefusedRead refused={refusal} plan={dataset.minimum_plan} onRetry={again} />}
      {comparison.state === 'too_many' ? (
        <p class="notice warn" role="alert">
          {say({
            en: `More than ${number(Math.min(MOST_COMPARED, limit ?? MOST_COMPARED), 0)} rows. Narrow the query to compare releases.`,
            zh: `超過 ${number(Math.min(MOST_COMPARED, limit ?? MOST_COMPARED), 0)} 列，請縮小範圍後再比較版本。`,
          })}
        </p>
      ) : null}
      {refusal && !answer ? null : (
        <p role="status" class="outcome">
          {state === 'loading' || comparison.state === 'loading'
            ? say({ en: 'Reading …', zh: '讀取中…' })
            : compared
              ? say({
                  en: `${rowCount(compared.older.rows.length)} in that release. Since then: ${compared.compared.changed} changed, ${compared.compared.added} added, ${compared.compared.removed} removed. ${cost(compared.charged, null, 2)}`,
                  zh: `該版本 ${number(compared.older.rows.length, 0)} 列；其後變更 ${compared.compared.changed}、新增 ${compared.compared.added}、移除 ${compared.compared.removed}。${cost(compared.charged, null, 2)}`,
                })
              : first
                ? say({ en: `${rowCount(count)}. `, zh: `${rowCount(count)}。` }) + cost(charged, remaining, reads)
                : ''}{' '}
          {answer?.emptyReason ? say(emptyWords(answer.emptyReason)) : ''}
          {answer?.warnings.includes(SYNTHETIC) ? <SampleBadge /> : null}
        </p>
      )}
      {first && !compared && (
        <Shown
          columns={columns}
          rows={loaded}
          count={count}
          slug={dataset.slug}
          axes={question.chart}
          first={firstAxes(schema.columns, question.isDay)}
          all={schema.columns}
          onAxes={chart => change(one => ({ ...one, chart }))}
        />
      )}
      {compared || first ? (
        <RowsTable
          key={addressOf({ ...question, sort: [] })}
          label={titleOf(dataset)}
          columns={tableColumns}
          rows={compared ? compared.compared.rows : rows}
          count={compared ? undefined : count}
          sort={question.sort}
          onSort={(column, more) => change(one => ({ ...one, sort: sortedBy(question.sort, column, more) }))}
          onRange={compared ? undefined : view}
          goTo={place.value}
          mark={compared?.compared.mark}
          under={column => {
            const found = profiles.get(column.name)
            return found ? (
              <HeadProfile
                column={column}
                profile={found}
                rows={profile.value!.row_count}
                described={described}
                question={question}
                onNarrow={narrow}
                onGo={compared || question.release !== null ? undefined : go}
              />
            ) : null
          }}
        />
      ) : refusal || comparison.state === 'too_many' ? null : (
        <div class="explore-loading">
          <Skeleton />
        </div>
      )}
      {hasAnswered.current && (
        <>
          <p>
            <label>
              <input
                type="checkbox"
                checked={heads.value === true}
                onChange={event => {
                  heads.value = event.currentTarget.checked
                }}
              />{' '}
              {say({
                en: 'Show value distributions in column heads (one more read with an account)',
                zh: '於欄位標題顯示數值分布（登入時計一次讀取）',
              })}
            </label>{' '}
            {!refusal && profile.state === 'refused' && profile.refused ? <span class="dim">{profile.refused.message}</span> : null}
          </p>
          <Section title={say({ en: 'Columns', zh: '欄位' })}>
            <Columns columns={schema.columns} chosen={question.columns} onChoose={columns => change(one => ({ ...one, columns }))} />
          </Section>
          <Section title={say({ en: 'Compare with an older release', zh: '與較舊版本比較' })} isOpen={question.release !== null}>
            {releases.refused && <RefusedRead refused={releases.refused} plan={dataset.minimum_plan} onRetry={again} />}
            <ReleaseSlider
              releases={releases.value ?? []}
              chosen={question.release}
              onChoose={release => change(one => ({ ...one, release }))}
            />
          </Section>
          <Section title={say({ en: 'Download', zh: '下載' })}>
            <Download
              described={described}
              question={question}
              format={format.value}
              bytes={isSettled && !estimate.value?.limited ? (estimate.value?.estimated_bytes ?? null) : null}
              onFormat={chosen => {
                format.value = chosen
              }}
            />
          </Section>
          <Section title={say({ en: 'Query as code', zh: '查詢程式碼' })} isOpen>
            <CodeSamples
              read={{ path: pathOf(described, question), query: { ...queryOf(question), limit: limit ?? MOST_ROWS }, columns }}
            />
          </Section>
        </>
      )}
    </div>
  )
}

interface ShownProps {
  readonly columns: readonly SchemaColumn[]
  readonly rows: readonly Row[]
  readonly count: number
  readonly slug: string
  readonly axes: Axes | null
  /** Axes of the first chart. Null if the dataset has no numbers. */
  readonly first: Axes | null
  readonly all: readonly SchemaColumn[]
  readonly onAxes: (axes: Axes | null) => void
}

/** Offers charts, pictures, files and links of the shown rows. */
function Shown({ columns, rows, count, slug, axes, first, all, onAxes }: ShownProps) {
  const drawn = useRef<DrawnChart | null>(null)
  const csv = () =>
    saveAs(
      `${slug}.csv`,
      [
        csvOf(
          rows,
          columns.map(({ name }) => name),
        ),
      ],
      'text/csv',
    )
  const png = () =>
    drawn.current?.picture().toBlob(blob => {
      if (blob) saveAs(`${slug}.png`, [blob], 'image/png')
    })
  const isDrawn = axes !== null && all.some(({ name, type }) => name === axes.x && type === 'date')
  return (
    <>
      <p class="run">
        {first && (
          <button type="button" aria-pressed={axes !== null} onClick={() => onAxes(axes === null ? first : null)}>
            {say({ en: 'Chart', zh: '圖表' })}
          </button>
        )}
        <button type="button" onClick={csv}>
          {rows.length < count
            ? say({ en: `CSV of the ${number(rows.length, 0)} loaded rows`, zh: `下載已載入的 ${number(rows.length, 0)} 列（CSV）` })
            : say({ en: 'CSV of these rows', zh: '下載這些資料（CSV）' })}
        </button>
        {isDrawn && (
          <button type="button" onClick={png}>
            PNG
          </button>
        )}
        <Copy text={() => location.href} words={{ en: 'Copy link', zh: '複製連結' }} />
      </p>
      {axes && (
        <ColumnChart
          columns={all}
          rows={rows}
          axes={axes}
          onChoose={onAxes}
          onDrawn={chart => {
            drawn.current = chart
          }}
        />
      )}
    </>
  )
}

const cost = (charged: number, remaining: number | null, reads: number): string =>
  say({
    en: `Cost so far: ${credits(charged)} for ${reads} ${reads === 1 ? 'read' : 'reads'}${remaining === null ? '' : `; ${number(remaining, 0)} left`}.`,
    zh: `已扣 ${credits(charged)}，共 ${reads} 次讀取${remaining === null ? '' : `；剩餘 ${number(remaining, 0)} 點`}。`,
  })

const again = (): void => location.reload()

function expectedRefusal(estimate: DryRun | null): Refused | null {
  if (!estimate?.refusal) return null
  const { status, error } = estimate.refusal
  return { status, code: error.error_code, message: error.error_message, requestId: null, retryAfter: null }
}

/**
 * Shows size and cost of the complete answer.
 *
 * @param price credits of a read with a key
 */
function Estimate({ estimate, price, plan }: { readonly estimate: DryRun | null; readonly price: number; readonly plan: string }) {
  if (!estimate || estimate.rows === null || estimate.estimated_bytes === null) return null
  const { rows, rows_are: are, estimated_bytes: bytes, credits: charged, limited } = estimate
  const most = are === 'at_most' ? say({ en: 'at most ', zh: '至多 ' }) : ''
  return (
    <output class="foretold">
      {most}
      {say({ en: `${rowCount(rows)}, about ${size(bytes)}`, zh: `${rowCount(rows)}，約 ${size(bytes)}` })}
      {limited ? say({ en: ' per response (there are more rows)', zh: '（單次上限，尚有其餘資料）' }) : ''}
      {say({ en: ', ', zh: '，' })}
      {charged > 0
        ? say({ en: `${credits(charged)} per read`, zh: `每次讀取 ${credits(charged)}` })
        : say({
            en: `free on this page; ${credits(price)} per read with a key of plan ${planName(plan)}${plan === 'max' ? '' : ' or above'}`,
            zh: `網頁瀏覽免費；以 ${planName(plan)} ${plan === 'max' ? '' : '以上'}方案的金鑰每次讀取 ${credits(price)}`,
          })}
    </output>
  )
}

function Section({
  title,
  isOpen,
  children,
}: {
  readonly title: string
  readonly isOpen?: boolean
  readonly children: preact.ComponentChildren
}) {
  return (
    <details open={isOpen}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  )
}
