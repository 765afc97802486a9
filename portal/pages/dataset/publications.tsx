import type { Updates } from '../../../clients/typescript/src/index.ts'
import { useAnswer } from '../../api/use.ts'
import { publicationWords } from '../../parts/labels.ts'
import { linkTo, number, say } from '../../parts/language.ts'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Scroll } from '../../parts/scroll.tsx'
import { daysText, moment } from '../../parts/time.ts'

const MOST = 200

export function Publications({ slug }: { readonly slug: string }) {
  const { value, refused, again } = useAnswer<Updates>({ path: '/v2/updates', query: { dataset: slug, limit: MOST } }).value
  const updates = value?.data ?? []
  const label = say({ en: 'Publications', zh: '發布紀錄' })
  return (
    <section id="publications">
      <h2>{label}</h2>
      {refused && <RefusedRead refused={refused} plan={undefined} onRetry={again} />}
      {value && updates.length === 0 ? <p>{say({ en: 'Nothing has been published yet.', zh: '尚未發布任何資料。' })}</p> : null}
      {updates.length > 0 && (
        <Scroll label={label}>
          <table>
            <thead>
              <tr>
                <th>{say({ en: 'Published', zh: '發布時間' })}</th>
                <th>{say({ en: 'Change', zh: '內容' })}</th>
                <th>{say({ en: 'Days', zh: '資料日期' })}</th>
                <th class="number">{say({ en: 'Added', zh: '新增' })}</th>
                <th class="number">{say({ en: 'Changed', zh: '變更' })}</th>
                <th class="number">{say({ en: 'Removed', zh: '移除' })}</th>
                <th>{say({ en: 'Release', zh: '版本' })}</th>
              </tr>
            </thead>
            <tbody>
              {updates.map(update => (
                <tr key={update.update_id}>
                  <td>{moment(update.published_at)}</td>
                  <td>{say(publicationWords(update.kind))}</td>
                  <td>{daysText(update.data_date_from, update.data_date_to)}</td>
                  <td class="number">{number(update.rows_added, 0)}</td>
                  <td class="number">{number(update.rows_changed, 0)}</td>
                  <td class="number">{number(update.rows_removed, 0)}</td>
                  <td>
                    <a href={linkTo(`/explore/${slug}?release=${update.release_version}`)}>
                      <code>{update.release_version}</code>
                    </a>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {value?.has_more ? (
        <p class="dim">
          {say({ en: `The newest ${MOST}. All: `, zh: `僅列最新 ${MOST} 筆，其餘見 ` })}
          <code>/v2/updates?dataset={slug}</code>
        </p>
      ) : null}
    </section>
  )
}
