import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { QuarantineReport } from '../../../clients/typescript/src/index.ts'
import type { Refused } from '../../api/client.ts'
import { say, size } from '../../parts/language.ts'
import { Quoted } from '../../parts/quoted.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { moment } from '../../parts/time.ts'
import { Decide } from './decide.tsx'
import { Faults } from './faults.tsx'
import { ReleasesOf } from './section.tsx'
import { askOperator, readChanged } from './state.ts'
import { OUTCOME } from './words.ts'

/** Milliseconds between checks while a publication runs. */
const ASK_EVERY_MS = 2_000

/** Shows the report about a refused file, and the form for the decision. */
export function ReportCard({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [report, refused] = [useSignal<QuarantineReport | null>(null), useSignal<Refused | null>(null)]
  const [heading, outcome] = [useRef<HTMLHeadingElement>(null), useRef<HTMLDivElement>(null)]
  const load = async () => {
    const answer = await askOperator<QuarantineReport>({ path: `quarantine/${encodeURIComponent(id)}` })
    refused.value = answer.ok ? null : answer.refused
    if (answer.ok) report.value = answer.body
  }
  const decided = async () => {
    await load()
    outcome.current?.focus()
    await readChanged()
  }
  const isRunning = report.value?.attempt?.outcome === 'running'
  useEffect(() => {
    void load()
    heading.current?.focus()
  }, [])
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => void load(), ASK_EVERY_MS)
    return () => {
      clearInterval(timer)
      void readChanged()
    }
  }, [isRunning])
  const { file, settled, attempt } = report.value ?? { file: null, settled: null, attempt: null }
  return (
    <article class="card" id="report">
      <div class="panel-head">
        <h3 ref={heading} tabIndex={-1}>
          {say({ en: 'Report: ', zh: '報告：' })}
          {file?.file ?? settled?.file ?? id}
        </h3>
        <button type="button" onClick={onClose}>
          {say({ en: 'Close', zh: '關閉' })}
        </button>
      </div>
      <Refusal refused={refused.value} />
      {file && (
        <dl>
          <dt>{say({ en: 'Target', zh: '資料集／資料來源' })}</dt>
          <dd>{file.for}</dd>
          <dt>{say({ en: 'Refused', zh: '遭拒時間' })}</dt>
          <dd>{moment(file.refused_at)}</dd>
          <dt>{say({ en: 'Size', zh: '大小' })}</dt>
          <dd>{size(file.size_bytes)}</dd>
          <dt>{say({ en: 'Id', zh: '識別碼' })}</dt>
          <dd>
            <code>{file.id}</code>
          </dd>
        </dl>
      )}
      <div role="status" id="outcome" ref={outcome} tabIndex={-1}>
        {report.value && <Outcome report={report.value} />}
      </div>
      {report.value && file && !settled && (
        <>
          <Faults faults={attempt?.outcome === 'refused' ? attempt.faults : report.value.faults} />
          {!isRunning && <Decide file={file} report={report.value} onDecided={decided} />}
        </>
      )}
    </article>
  )
}

function Outcome({ report: { settled, attempt } }: { readonly report: QuarantineReport }) {
  if (settled)
    return (
      <div class="notice">
        <p>
          <b>{say(OUTCOME[settled.outcome])}</b>, {moment(settled.at)}
          {settled.rules.length > 0 && `; ${say({ en: 'accepted rules: ', zh: '放行：' })}${settled.rules.join(', ')}`}
        </p>
        <ReleasesOf releases={settled.releases} />
      </div>
    )
  if (attempt?.outcome === 'running')
    return <p class="notice">{say({ en: 'Publishing. The outcome appears here.', zh: '發布中，結果將顯示於此。' })}</p>
  if (attempt?.outcome === 'refused')
    return (
      <p class="notice warn">
        {say({
          en: 'The file was refused again: it breaks rules that were not accepted. It stays in quarantine.',
          zh: '再次遭拒：違反未放行的規則，檔案仍保留。',
        })}
      </p>
    )
  if (attempt?.outcome === 'failed')
    return (
      <p class="notice warn whole">
        {say({ en: 'Not published; the file remains:', zh: '未能發布，檔案仍保留：' })}{' '}
        {attempt.said !== null && <Quoted text={attempt.said} />}
      </p>
    )
  return null
}
