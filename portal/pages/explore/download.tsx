import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Refused, urlOf } from '../../api/client.ts'
import { browserSession } from '../../frame/account.ts'
import { credits, linkTo, planName, say, size } from '../../parts/language.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { MOST_ROWS } from './estimate.ts'
import { type Described, pathOf, type Question, queryOf } from './question.ts'
import { save } from './save.ts'

export const FORMATS = [
  { id: 'json', words: { en: 'JSON', zh: 'JSON' }, ending: 'json' },
  { id: 'csv', words: { en: 'CSV, for spreadsheets', zh: 'CSV（試算表）' }, ending: 'csv' },
  { id: 'ndjson', words: { en: 'NDJSON, one row per line', zh: 'NDJSON（每列一行）' }, ending: 'ndjson' },
  { id: 'arrow', words: { en: 'Arrow, for data frames', zh: 'Arrow（資料框）' }, ending: 'arrow' },
  { id: 'parquet', words: { en: 'Parquet, the smallest', zh: 'Parquet（最小）' }, ending: 'parquet' },
] as const

export type FormatId = (typeof FORMATS)[number]['id']

interface DownloadProps {
  readonly described: Described
  readonly question: Question
  readonly format: FormatId
  readonly onFormat: (format: FormatId) => void
  /** Estimated bytes. Null if unknown. */
  readonly bytes: number | null
}

interface Going {
  /** Address of the complete answer. The address identifies the query. */
  readonly queryAddress: string
  /**
   * Address of the part that is being downloaded. After the download, the address of the last
   * part.
   */
  readonly partAddress: string
  readonly state: 'idle' | 'going' | 'done' | 'failed'
  readonly received: number
  readonly charged: number | null
  readonly refused: Refused | null
  /** Address of the remaining rows. Null if there are none. */
  readonly next: string | null
  readonly part: number
}

const IDLE: Going = { queryAddress: '', partAddress: '', state: 'idle', received: 0, charged: null, refused: null, next: null, part: 1 }

export function Download({ described, question, format, onFormat, bytes }: DownloadProps) {
  const [going, stop] = [useSignal<Going>(IDLE), useRef<AbortController | null>(null)]
  const { slug, minimum_plan: plan } = described.dataset
  const isVisitor = useSignal(false)
  useEffect(() => {
    void browserSession().then(who => {
      isVisitor.value = who?.signed_in === false
    })
  }, [])
  const address = urlOf({
    path: pathOf(described, question),
    query: { ...queryOf(question), limit: MOST_ROWS, format, bom: format === 'csv' ? true : undefined },
  })
  const start = async (partAddress: string, part: number) => {
    stop.current = new AbortController()
    going.value = { ...IDLE, queryAddress: address, partAddress, state: 'going', part }
    const { ending } = FORMATS.find(({ id }) => id === format)!
    const name = `${slug}${question.filters['symbol'] ? `-${question.filters['symbol'].replaceAll(/[^\w]+/g, '_').slice(0, 40)}` : ''}${part > 1 ? `-${part}` : ''}.${ending}`
    const saved = await save(partAddress, name, stop.current.signal, received => {
      going.value = { ...going.peek(), received }
    })
    going.value = { ...going.peek(), ...saved }
  }
  const isOfThis = going.value.queryAddress === address || going.value.state === 'going'
  const { state, received, charged, refused, next, part, partAddress } = isOfThis ? going.value : IDLE
  return (
    <div class="download">
      <p>
        <label for="format">{say({ en: 'Format', zh: '格式' })}</label>{' '}
        <select id="format" value={format} onChange={event => onFormat(event.currentTarget.value as FormatId)}>
          {FORMATS.map(({ id, words }) => (
            <option key={id} value={id}>
              {say(words)}
            </option>
          ))}
        </select>{' '}
        {state === 'going' ? (
          <button type="button" onClick={() => stop.current?.abort()}>
            {say({ en: 'Stop', zh: '停止' })}
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => void start(address, 1)}>
            {say({ en: 'Download', zh: '下載' })}
          </button>
        )}
      </p>
      {isVisitor.value && (
        <p>
          {plan === 'free'
            ? say({ en: 'Downloads require a free account:', zh: '下載檔案需要帳戶（免費）：' })
            : say({
                en: `Downloads of this dataset require an account on plan ${planName(plan)}${plan === 'max' ? '' : ' or above'}:`,
                zh: `下載此資料集至少需要 ${planName(plan)} 方案的帳戶：`,
              })}{' '}
          <a href={linkTo('/account')}>{say({ en: 'sign in', zh: '登入' })}</a>
        </p>
      )}
      {state === 'going' && (
        <p>
          <progress
            max={bytes ?? undefined}
            value={bytes === null ? undefined : Math.min(received, bytes)}
            aria-label={say({ en: 'Download', zh: '下載進度' })}
          />{' '}
          {size(received)}
          {bytes === null ? '' : ` / ${size(bytes)}`}
        </p>
      )}
      <p role="status">
        {state === 'done' &&
          say({
            en: `Saved ${size(received)}${charged === null ? '' : ` for ${credits(charged)}`}.`,
            zh: `已儲存 ${size(received)}${charged === null ? '' : `，已扣 ${credits(charged)}`}。`,
          })}
        {state === 'failed' && refused === null && say({ en: 'The download was interrupted.', zh: '下載中斷，未完成。' })}
      </p>
      {refused && <RefusedRead refused={refused} plan={described.dataset.minimum_plan} onRetry={() => void start(partAddress, part)} />}
      {state === 'done' && next !== null && (
        <p class="notice">
          {say({
            en: 'This file has the maximum number of rows of your plan. There are more.',
            zh: '已達方案單次列數上限，尚有其餘資料。',
          })}{' '}
          <button type="button" onClick={() => void start(next, part + 1)}>
            {say({ en: 'Download the next part', zh: '下載下一部分' })}
          </button>
        </p>
      )}
    </div>
  )
}
