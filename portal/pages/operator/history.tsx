import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { KeptRelease, ReleaseHistory } from '../../../clients/typescript/src/index.ts'
import type { Refused } from '../../api/client.ts'
import { SampleBadge } from '../../parts/facts.tsx'
import { number, say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { dayText } from '../../parts/time.ts'
import { askOperator, readAt, titleBy } from './state.ts'
import { STANDING } from './words.ts'

const MOST = 50

export function History({ slug, onClose }: { readonly slug: string; readonly onClose: () => void }) {
  const [releases, refused] = [useSignal<readonly KeptRelease[] | null>(null), useSignal<Refused | null>(null)]
  const heading = useRef<HTMLHeadingElement>(null)
  const read = async () => {
    const answer = await askOperator<ReleaseHistory>({
      path: `releases/${encodeURIComponent(slug)}`,
      query: { limit: MOST },
    })
    refused.value = answer.ok ? null : answer.refused
    if (answer.ok) releases.value = answer.body.data
  }
  useEffect(() => void read(), [readAt.value])
  useEffect(() => heading.current?.focus(), [])
  const title = titleBy(slug)
  return (
    <article class="card" id="history">
      <div class="panel-head">
        <h3 ref={heading} tabIndex={-1}>
          {say({ en: `Releases of ${title}`, zh: `${title}的版本` })}
        </h3>
        <button type="button" onClick={onClose}>
          {say({ en: 'Close', zh: '關閉' })}
        </button>
      </div>
      <Refusal refused={refused.value} />
      {releases.value && (
        <Scroll label={say({ en: `Releases of ${title}`, zh: `${title}的版本` })}>
          <table>
            <thead>
              <tr>
                <th>{say({ en: 'Release', zh: '版本' })}</th>
                <th>{say({ en: 'Standing', zh: '狀態' })}</th>
                <th>{say({ en: 'Data to', zh: '資料至' })}</th>
                <th class="number">{say({ en: 'Rows', zh: '列數' })}</th>
                <th class="number">{say({ en: 'Added', zh: '新增' })}</th>
                <th class="number">{say({ en: 'Changed', zh: '變更' })}</th>
                <th class="number">{say({ en: 'Removed', zh: '移除' })}</th>
                <th>{say({ en: 'Notes', zh: '備註' })}</th>
              </tr>
            </thead>
            <tbody>
              {releases.value.map(release => (
                <Line key={release.release} release={release} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {releases.value?.length === MOST && (
        <p class="dim">
          {say({ en: `The newest ${MOST}. All: twmd releases list.`, zh: `僅列最新 ${MOST} 筆；twmd releases list 可列出全部。` })}
        </p>
      )}
    </article>
  )
}

const Line = ({
  release: { release, standing, damaged, data_as_of: asOf, rows, changes, synthetic, pinned, pin_note: why, note },
}: {
  readonly release: KeptRelease
}) => (
  <tr>
    <th scope="row">
      <code>{release}</code>
    </th>
    <td>
      <span class={standing === 'served' ? 'state-fresh' : ''}>{say(STANDING[standing])}</span>{' '}
      {damaged && <b class="state-late">{say({ en: 'damaged', zh: '損毀' })}</b>} {synthetic && <SampleBadge />}
    </td>
    <td>{dayText(asOf)}</td>
    <td class="number">{number(rows)}</td>
    <td class="number">{number(changes?.rows_added)}</td>
    <td class="number">{number(changes?.rows_changed)}</td>
    <td class="number">{number(changes?.rows_removed)}</td>
    <td class="words">
      {pinned && <span class="badge">{say({ en: 'pinned', zh: '永久保留' })}</span>} {why} {note}
    </td>
  </tr>
)
