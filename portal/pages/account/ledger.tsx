import { useSignal } from '@preact/signals'
import type { UsageEntry, UsageLedger } from '../../../clients/typescript/src/index.ts'
import { useTitles } from '../../api/catalog.ts'
import { ask, type Refused } from '../../api/client.ts'
import { useAnswer } from '../../api/use.ts'
import { number, say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { saveAs } from '../../parts/save.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { isoDay, moment } from '../../parts/time.ts'
import { nameOfKey } from './state.ts'

const PATH = '/v2/self-serve/usage-ledger'
const SHOWN = 10
/** Maximum entries in one response. */
const MOST_SAVED = 100_000

const REQUEST_ID = '\\s*req_[0-9a-hjkmnp-tv-z]{26}\\s*'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const PREFIX = 'req_'
const MOMENT_CHARS = 10

export function Ledger({ window }: { readonly window: string }) {
  const [wanted, found, refused] = [useSignal(''), useSignal<readonly UsageEntry[] | null>(null), useSignal<Refused | null>(null)]
  const isCut = useSignal(false)
  const answer = useAnswer<UsageLedger>({ path: PATH, query: { window, limit: SHOWN } })
  const find = async (event: Event) => {
    event.preventDefault()
    const id = wanted.value.trim()
    // Ids sort by time. If the searched entry exists, it is the newest one before the next possible
    // id.
    for (const within of [window, isoDay(requestedAt(id)).slice(0, 7)]) {
      const answer = await ask<UsageLedger>({ path: PATH, query: { window: within, before: `${id}0`, limit: 1 } })
      refused.value = answer.ok ? null : answer.refused
      found.value = answer.ok ? answer.body.data.filter(entry => entry.request_id === id) : null
      if (!answer.ok || found.value?.length) return
    }
  }
  const download = async () => {
    const answer = await ask<string>({ path: PATH, query: { window, limit: MOST_SAVED, format: 'csv' } })
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return
    isCut.value = answer.headers.has('link')
    saveAs(`usage-ledger-${window}.csv`, [answer.body], 'text/csv')
  }
  return (
    <section id="ledger">
      <h3>{say({ en: 'Charged reads, grants and refunds, newest first', zh: '逐筆計費、贈點與退點紀錄（新到舊）' })}</h3>
      <form class="row" onSubmit={find}>
        <label>
          {say({ en: 'Find by request id', zh: '以請求編號查詢' })}
          <input
            required
            pattern={REQUEST_ID}
            title={say({ en: 'req_ and 26 characters, from X-Request-Id', zh: 'req_ 與 26 個字元，見 X-Request-Id' })}
            placeholder="req_…"
            value={wanted.value}
            onInput={event => (wanted.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit">{say({ en: 'Find', zh: '查詢' })}</button>
        <button type="button" onClick={() => void download()}>
          {say({ en: 'Download as CSV', zh: '下載 CSV' })}
        </button>
      </form>
      <Refusal refused={refused.value} />
      {answer.value.refused && <RefusedRead refused={answer.value.refused} plan={undefined} onRetry={answer.value.again} />}
      {isCut.value && (
        <p class="notice warn" role="status">
          {say({
            en: `The file contains only the newest ${number(MOST_SAVED)} reads of these days. For the rest, follow the Link header of ${PATH}.`,
            zh: `檔案僅含此期間最新 ${number(MOST_SAVED)} 筆，其餘可由程式依 ${PATH} 的 Link 標頭取得。`,
          })}
        </p>
      )}
      {found.value && (
        <div role="status" id="found">
          {found.value.length > 0 ? (
            <EntryTable entries={found.value} label={say({ en: 'Search result', zh: '查詢結果' })} />
          ) : (
            <p>{say({ en: 'This account has no charged read with this id.', zh: '此帳戶查無這筆計費紀錄。' })}</p>
          )}
        </div>
      )}
      {answer.value.value?.data.length === 0 && (
        <p class="dim">
          {say({
            en: 'Nothing was used in this period yet; each charged read, grant and refund appears here.',
            zh: '此期間尚無紀錄；每筆計費讀取、贈點與退點都會列在這裡。',
          })}
        </p>
      )}
      {answer.value.value && answer.value.value.data.length > 0 && (
        <EntryTable entries={answer.value.value.data} label={say({ en: 'Newest entries', zh: '最新紀錄' })} />
      )}
    </section>
  )
}

function EntryTable({ entries, label }: { readonly entries: readonly UsageEntry[]; readonly label: string }) {
  const titleBy = useTitles()
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th>{say({ en: 'Time', zh: '時間' })}</th>
            <th>{say({ en: 'Dataset', zh: '資料集' })}</th>
            <th class="number">{say({ en: 'Credits', zh: '點數' })}</th>
            <th class="number">{say({ en: 'Rows', zh: '列數' })}</th>
            <th>{say({ en: 'Key', zh: '金鑰' })}</th>
            <th>{say({ en: 'Request', zh: '請求編號' })}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(entry => (
            <tr key={entry.request_id}>
              <td>{moment(entry.at)}</td>
              <td>{subjectOf(entry, titleBy)}</td>
              <td class="number">{entry.kind === 'use' ? number(entry.credits) : `+${number(entry.credited)}`}</td>
              <td class="number">{number(entry.rows)}</td>
              <td>{entry.key_id && nameOfKey(entry.key_id)}</td>
              <td>
                <code>{entry.kind === 'refund' ? entry.refunded_request_id : entry.request_id}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** Returns the dataset of a read, or the reason for a credit. */
function subjectOf({ kind, slug, reason }: UsageEntry, titleBy: (slug: string) => string): string {
  if (kind === 'use') return titleBy(slug)
  return kind === 'grant'
    ? say({ en: `Credits granted: ${reason}`, zh: `贈點：${reason}` })
    : say({ en: `Refund of ${titleBy(slug)}: ${reason}`, zh: `${titleBy(slug)} 退點：${reason}` })
}

/**
 * Returns the time of a request. A request id starts with the milliseconds since 1970 in
 * Crockford's base 32.
 *
 * @param id a request id that the form has validated
 */
const requestedAt = (id: string): string =>
  new Date(
    [...id.slice(PREFIX.length, PREFIX.length + MOMENT_CHARS)].reduce((ms, character) => ms * 32 + ALPHABET.indexOf(character), 0),
  ).toISOString()
