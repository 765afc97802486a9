import type { SlowRead } from '../../../clients/typescript/src/index.ts'
import { useTitles } from '../../api/catalog.ts'
import { number, say } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { moment } from '../../parts/time.ts'
import { Nothing, Section } from './section.tsx'
import { STAGE_ZH } from './words.ts'

export function SlowReads() {
  const titleBy = useTitles()
  return (
    <Section name="slow-reads" title={{ en: 'Slowest reads of the last hour', zh: '最近一小時最慢的讀取' }}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>{say({ en: 'No reads in the last hour.', zh: '最近一小時沒有讀取。' })}</Nothing>
        ) : (
          <Scroll label={say({ en: 'Slowest reads', zh: '最慢的讀取' })}>
            <table>
              <thead>
                <tr>
                  <th>{say({ en: 'Dataset', zh: '資料集' })}</th>
                  <th class="number">{say({ en: 'ms', zh: '毫秒' })}</th>
                  <th>{say({ en: 'By stage, ms', zh: '各階段（毫秒）' })}</th>
                  <th class="number">{say({ en: 'Rows', zh: '列數' })}</th>
                  <th>{say({ en: 'Time', zh: '時間' })}</th>
                  <th>{say({ en: 'Reader', zh: '讀取者' })}</th>
                  <th>{say({ en: 'Request', zh: '請求編號' })}</th>
                  <th>{say({ en: 'Release', zh: '版本' })}</th>
                </tr>
              </thead>
              <tbody>
                {data.map(read => (
                  <Line key={read.request_id} read={read} title={titleBy(read.product)} />
                ))}
              </tbody>
            </table>
          </Scroll>
        )
      }
    </Section>
  )
}

/** In English the name of the API, as in `Server-Timing`. */
const stageName = (stage: string): string => say({ en: stage, zh: STAGE_ZH[stage] ?? stage })

interface LineProps {
  readonly read: SlowRead
  readonly title: string
}

const Line = ({ title, read: { ms, stages, rows, at, account, key, request_id: request, release } }: LineProps) => (
  <tr>
    <th scope="row">{title}</th>
    <td class="number">{number(ms, 1)}</td>
    <td>
      {Object.entries(stages)
        .map(([stage, took]) => `${stageName(stage)} ${number(took, 1)}`)
        .join(' · ')}
    </td>
    <td class="number">{number(rows)}</td>
    <td>{moment(at)}</td>
    <td>
      {account === null ? (
        say({ en: 'a visitor', zh: '訪客' })
      ) : (
        <>
          <code>{account}</code> <code>{key}</code>
        </>
      )}
    </td>
    <td>
      <code>{request}</code>
    </td>
    <td>{release === null ? say({ en: 'several', zh: '多個' }) : <code>{release}</code>}</td>
  </tr>
)
