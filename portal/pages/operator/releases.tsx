import type { DatasetReleases } from '../../../clients/typescript/src/index.ts'
import { titleOf } from '../../api/catalog.ts'
import { SampleBadge } from '../../parts/facts.tsx'
import { linkTo, number, say } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { dayText, moment } from '../../parts/time.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { History } from './history.tsx'
import { Section } from './section.tsx'
import { STATUS } from './words.ts'

const urgency = ({ damaged, served, status }: DatasetReleases): number =>
  damaged > 0 ? 0 : served === null ? 2 : status === 'internal' ? 3 : 1

export function Releases() {
  const open = useUrlState('dataset', '')
  return (
    <Section name="releases" title={{ en: 'Releases', zh: '版本' }}>
      {({ data }) => (
        <>
          {open.value !== '' && <History key={open.value} slug={open.value} onClose={() => (open.value = '')} />}
          <Scroll label={say({ en: 'Releases by dataset', zh: '各資料集版本' })}>
            <table>
              <thead>
                <tr>
                  <th>{say({ en: 'Dataset', zh: '資料集' })}</th>
                  <th>{say({ en: 'State', zh: '狀態' })}</th>
                  <th>{say({ en: 'Served', zh: '提供中' })}</th>
                  <th>{say({ en: 'Data to', zh: '資料至' })}</th>
                  <th class="number">{say({ en: 'Rows', zh: '列數' })}</th>
                  <th class="number">{say({ en: 'Retained', zh: '保留版本數' })}</th>
                  <th class="number">{say({ en: 'Pinned', zh: '永久保留' })}</th>
                  <th class="number">{say({ en: 'Withdrawn', zh: '撤回' })}</th>
                  <th class="number">{say({ en: 'Deleted', zh: '已刪除' })}</th>
                  <th class="number">{say({ en: 'Damaged', zh: '損毀' })}</th>
                  <th>{say({ en: 'Published', zh: '發布時間' })}</th>
                </tr>
              </thead>
              <tbody>
                {[...data]
                  .sort((one, other) => urgency(one) - urgency(other))
                  .map(dataset => (
                    <Line
                      key={dataset.slug}
                      dataset={dataset}
                      isOpen={open.value === dataset.slug}
                      onOpen={() => (open.value = dataset.slug)}
                    />
                  ))}
              </tbody>
            </table>
          </Scroll>
        </>
      )}
    </Section>
  )
}

interface LineProps {
  readonly dataset: DatasetReleases
  readonly isOpen: boolean
  readonly onOpen: () => void
}

function Line({ dataset, isOpen, onOpen }: LineProps) {
  const { slug, served, named, kept } = dataset
  const title = titleOf(dataset)
  return (
    <tr>
      <th scope="row">
        {dataset.status === 'internal' ? title : <a href={linkTo(`/datasets/${slug}`)}>{title}</a>}{' '}
        {kept > 0 && (
          <button
            type="button"
            class="small"
            aria-expanded={isOpen}
            aria-label={say({ en: `List releases of ${title}`, zh: `列出${title}的版本` })}
            onClick={onOpen}
          >
            {say({ en: 'List', zh: '列出' })}
          </button>
        )}
        <small class="dim">
          <code>{slug}</code>
        </small>
      </th>
      <td>
        {say(STATUS[dataset.status])} {dataset.synthetic && <SampleBadge />}
      </td>
      <td>
        {served === null ? '–' : <code>{served}</code>}
        {named !== null && named !== served && (
          <small class="state-due">
            {say({ en: 'named: ', zh: '指定的版本：' })}
            <code>{named}</code>
          </small>
        )}
      </td>
      <td>{dayText(dataset.data_as_of)}</td>
      <td class="number">{number(dataset.rows)}</td>
      <td class="number">{number(kept)}</td>
      <td class="number">{number(dataset.pinned)}</td>
      <td class="number">{number(dataset.withdrawn)}</td>
      <td class="number">{number(dataset.retired)}</td>
      <td class={dataset.damaged > 0 ? 'number state-late' : 'number'}>{number(dataset.damaged)}</td>
      <td>{moment(dataset.published_at)}</td>
    </tr>
  )
}
