import '../../frame/main.tsx'
import '../../style/explore.css'
import '../../style/sql.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useCatalog } from '../../api/catalog.ts'
import type { Refused } from '../../api/client.ts'
import { priceOfSql, runSql, type SqlPrice, type SqlRows } from '../../api/sql.ts'
import { Copy } from '../../parts/copy.tsx'
import { credits, linkTo, number, say } from '../../parts/language.ts'
import { mount } from '../../parts/mount.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import type { Axes } from '../explore/question.ts'
import { SqlAnswerView } from './answer.tsx'
import { Editor, tableOf } from './editor.tsx'
import { type Example, examplesFrom } from './examples.ts'
import { removeQuery, savedQueries, saveQuery } from './saved.ts'

function SqlPage() {
  const [query, chart] = [useUrlState('q', ''), useUrlState('chart', '')]
  const catalog = useCatalog().value
  const examples = useMemo(() => examplesFrom(catalog.value ?? []), [catalog.value])
  const text = query.value || (catalog.value ? examples[0]!.sql : '')
  const state = useSignal<State>({ kind: 'idle' })
  const [price, isVisitor] = [useSignal<SqlPrice | null>(null), useSignal(false)]
  const running = useRef<AbortController | null>(null)
  useEffect(() => {
    price.value = null
    if (text === '') return
    const stop = new AbortController()
    const wait = setTimeout(async () => {
      const answer = await priceOfSql({ q: text }, stop.signal).catch(() => null)
      if (answer?.ok) price.value = answer.body
      isVisitor.value = answer?.ok === false && answer.refused.code === 'missing_api_key'
    }, PRICE_AFTER_MS)
    return () => {
      clearTimeout(wait)
      stop.abort()
    }
  }, [text])
  const run = async () => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    state.value = { kind: 'running' }
    const answer = await runSql({ q: text }, own.signal).catch(() => null)
    if (running.current !== own) return
    if (answer === null) state.value = { kind: 'idle' }
    else state.value = answer.ok ? { kind: 'done', answer: answer.body } : { kind: 'refused', refused: answer.refused }
  }
  const stop = () => {
    running.current?.abort()
    running.current = null
    state.value = { kind: 'idle' }
  }
  const [x, y] = chart.value.split(',')
  const axes: Axes | null = x && y ? { x, y } : null
  return (
    <>
      <h1>SQL</h1>
      <p>
        {say({
          en: 'One SELECT over all datasets. Ctrl+Enter runs it; the address contains the query, so you can share it.',
          zh: '以一個 SELECT 查詢所有資料集。按 Ctrl+Enter 執行；網址包含查詢內容，可直接分享。',
        })}{' '}
        <a href={linkTo('/docs/sql')}>{say({ en: 'Guide', zh: '說明' })}</a> ·{' '}
        <a href={linkTo('/screener')}>{say({ en: 'Screener without SQL', zh: '選股（免寫 SQL）' })}</a>
      </p>
      <Queries examples={examples} query={text} onChoose={next => (query.value = next)} />
      <Editor text={text} datasets={catalog.value ?? []} onChange={next => (query.value = next)} onRun={() => void run()} />
      <p class="run">
        <button type="button" class="primary" disabled={state.value.kind === 'running'} onClick={() => void run()}>
          {say({ en: 'Run', zh: '執行' })}
        </button>
        {state.value.kind === 'running' && (
          <button type="button" onClick={stop}>
            {say({ en: 'Stop', zh: '停止' })}
          </button>
        )}
        <Copy text={() => location.href} words={{ en: 'Copy link', zh: '複製連結' }} />
        <span class="dim">
          {price.value && priceText(price.value)}
          {isVisitor.value && <a href={linkTo('/account')}>{say({ en: 'Sign in to run queries', zh: '登入後即可執行查詢' })}</a>}
        </span>
      </p>
      {state.value.kind === 'running' && <Skeleton />}
      {state.value.kind === 'refused' && <RefusedRead refused={state.value.refused} onRetry={() => void run()} />}
      {state.value.kind === 'done' && (
        <SqlAnswerView answer={state.value.answer} axes={axes} onAxes={next => (chart.value = `${next.x},${next.y}`)} />
      )}
      <Tables />
    </>
  )
}

type State =
  | { readonly kind: 'idle' | 'running' }
  | { readonly kind: 'done'; readonly answer: SqlRows }
  | { readonly kind: 'refused'; readonly refused: Refused }

/** Milliseconds without typing after which the price is requested. */
const PRICE_AFTER_MS = 800

const priceText = ({ credits: price, scannedRows }: SqlPrice): string =>
  price === null
    ? ''
    : say({
        en: `Costs ${credits(price)}: reads up to ${number(scannedRows, 0)} rows.`,
        zh: `將扣 ${credits(price)}，最多讀取 ${number(scannedRows, 0)} 列。`,
      })

interface QueriesProps {
  readonly examples: readonly Example[]
  readonly query: string
  readonly onChoose: (sql: string) => void
}

function Queries({ examples, query, onChoose }: QueriesProps) {
  const name = useSignal('')
  return (
    <div class="sql-queries">
      <ul class="chips">
        {examples.map(({ title, sql }) => (
          <li key={title.en}>
            <button type="button" class="chip" onClick={() => onChoose(sql)}>
              {say(title)}
            </button>
          </li>
        ))}
        {savedQueries.value.map(saved => (
          <li key={saved.name}>
            <button type="button" class="chip" onClick={() => onChoose(saved.sql)}>
              {saved.name}
            </button>
            <button
              type="button"
              class="chip"
              aria-label={say({ en: `Delete ${saved.name}`, zh: `刪除 ${saved.name}` })}
              onClick={() => removeQuery(saved.name)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (name.value.trim() === '') return
          saveQuery({ name: name.value.trim(), sql: query })
          name.value = ''
        }}
      >
        <label>
          {say({ en: 'Save as', zh: '儲存為' })}{' '}
          <input value={name.value} maxLength={60} onInput={event => (name.value = event.currentTarget.value)} />
        </label>{' '}
        <button type="submit">{say({ en: 'Save', zh: '儲存' })}</button>
      </form>
    </div>
  )
}

function Tables() {
  const datasets = useCatalog().value.value ?? []
  return (
    <details>
      <summary>{say({ en: `Tables (${datasets.length})`, zh: `資料表（${datasets.length}）` })}</summary>
      <ul class="sql-tables">
        {datasets.map(dataset => (
          <li key={dataset.slug}>
            <a href={linkTo(`/datasets/${dataset.slug}`)}>
              <code>{tableOf(dataset)}</code>
            </a>{' '}
            {say({ en: dataset.title, zh: dataset.title_zh })}
          </li>
        ))}
      </ul>
    </details>
  )
}

mount(SqlPage)
