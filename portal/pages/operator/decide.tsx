import { useSignal } from '@preact/signals'
import type { QuarantineReport, RefusedFile } from '../../../clients/typescript/src/index.ts'
import type { Refused } from '../../api/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { askOperator } from './state.ts'

const LONGEST_NOTE = 500

interface DecideProps {
  readonly file: RefusedFile
  readonly report: QuarantineReport
  /** Called after the decision, to load the new state of the file. */
  readonly onDecided: () => Promise<void>
}

export function Decide({ file, report: { faults, attempt }, onDecided }: DecideProps) {
  const passed = useSignal<readonly string[]>([])
  const [date, note] = [useSignal(''), useSignal('')]
  const [busy, refused] = [useSignal<'accept' | 'discard' | null>(null), useSignal<Refused | null>(null)]
  const named = [...faults, ...(attempt?.faults ?? [])].flatMap(({ accept }) => (accept === null ? [] : [accept]))
  const letPass = (rule: string, isOn: boolean) => {
    passed.value = [...passed.value.filter(one => one !== rule), ...(isOn ? [rule] : [])]
  }
  const decide = async (action: 'accept' | 'discard') => {
    busy.value = action
    const why = note.value.trim() === '' ? {} : { note: note.value.trim() }
    const day = date.value === '' ? {} : { date: date.value }
    const body = action === 'accept' ? { accept: passed.value, ...day, ...why } : why
    const answer = await askOperator({ path: `quarantine/${encodeURIComponent(file.id)}/${action}`, method: 'POST', body })
    refused.value = answer.ok ? null : answer.refused
    await onDecided()
    busy.value = null
  }
  const letting =
    passed.value.length === 0
      ? say({ en: 'accepting no rules', zh: '不放行任何規則' })
      : say({ en: `accepting ${passed.value.join(', ')}`, zh: `放行 ${passed.value.join('、')}` })
  if (busy.value !== null)
    return (
      <p role="status" class="notice">
        {busy.value === 'accept'
          ? say({ en: 'Publishing in a separate process. This takes seconds to minutes.', zh: '正以獨立程序發布，需數秒至數分鐘。' })
          : say({ en: 'Discarding…', zh: '捨棄中…' })}
      </p>
    )
  return (
    <div id="decide">
      {named.length > 0 && (
        <fieldset class="rules">
          <legend>{say({ en: 'Rules to accept', zh: '放行的規則' })}</legend>
          {[...new Set(named)].map(rule => (
            <label key={rule}>
              <input type="checkbox" checked={passed.value.includes(rule)} onChange={event => letPass(rule, event.currentTarget.checked)} />{' '}
              <code>{rule}</code>
            </label>
          ))}
        </fieldset>
      )}
      <div class="row">
        <label>
          {say({ en: 'Reason (recorded)', zh: '原因（將留存紀錄）' })}
          <input
            type="text"
            autocomplete="off"
            maxLength={LONGEST_NOTE}
            value={note.value}
            onInput={event => (note.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {say({ en: 'Date of the data, if not in the file name', zh: '資料日期（檔名未標示時填寫）' })}
          <input type="date" value={date.value} onInput={event => (date.value = event.currentTarget.value)} />
        </label>
      </div>
      <div class="row">
        {file.has_copy && (
          <Confirm
            label={say({ en: 'Accept and publish', zh: '接受並發布' })}
            question={say({
              en: `Publish ${file.file} to ${file.for}, ${letting}?`,
              zh: `將 ${file.file} 發布至 ${file.for}，${letting}？`,
            })}
            yes={say({ en: 'Yes, publish', zh: '確定發布' })}
            onYes={() => void decide('accept')}
          />
        )}
        <Confirm
          label={say({ en: 'Discard', zh: '捨棄' })}
          question={say({ en: `Delete ${file.file} and its report permanently?`, zh: `永久刪除 ${file.file} 與其報告？` })}
          yes={say({ en: 'Yes, discard', zh: '確定捨棄' })}
          onYes={() => void decide('discard')}
        />
      </div>
      {!file.has_copy && (
        <p class="dim">
          {say({
            en: 'The file exceeds the quarantine’s limit and was not moved. Publish it from its folder with twmd.',
            zh: '檔案超過隔離區上限而留在原處，請以 twmd 指令由原處發布。',
          })}
        </p>
      )}
      <Refusal refused={refused.value} />
    </div>
  )
}
