import { useRef } from 'preact/hooks'
import type { RefusedFile, SettledFile } from '../../../clients/typescript/src/index.ts'
import { number, say, size } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { moment } from '../../parts/time.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { ReportCard } from './report.tsx'
import { Nothing, ReleasesOf, Section } from './section.tsx'
import { OUTCOME } from './words.ts'

export function Quarantine() {
  const open = useUrlState('file', '')
  const place = useRef<HTMLDivElement>(null)
  const close = () => {
    open.value = ''
    place.current?.closest('section')?.querySelector('h2')?.focus()
  }
  return (
    <Section name="quarantine" title={{ en: 'Refused files', zh: '遭拒檔案' }}>
      {({ kept, data, settled }) => (
        <div ref={place}>
          {open.value !== '' && <ReportCard key={open.value} id={open.value} onClose={close} />}
          {data.length === 0 ? (
            <Nothing>{say({ en: 'No refused files.', zh: '沒有遭拒檔案。' })}</Nothing>
          ) : (
            <KeptFiles files={data} open={open.value} onOpen={id => (open.value = id)} />
          )}
          {kept > data.length && (
            <p class="dim">
              {say({
                en: `${number(kept - data.length)} more are not listed.`,
                zh: `另有 ${number(kept - data.length)} 個未列出。`,
              })}
            </p>
          )}
          {settled.length > 0 && (
            <details>
              <summary>{say({ en: `Recent decisions (${settled.length})`, zh: `近期決定（${settled.length}）` })}</summary>
              <SettledFiles files={settled} />
            </details>
          )}
        </div>
      )}
    </Section>
  )
}

interface KeptFilesProps {
  readonly files: readonly RefusedFile[]
  readonly open: string
  readonly onOpen: (id: string) => void
}

const KeptFiles = ({ files, open, onOpen }: KeptFilesProps) => (
  <Scroll label={say({ en: 'Refused files', zh: '遭拒檔案' })}>
    <table id="kept">
      <thead>
        <tr>
          <th>{say({ en: 'File', zh: '檔案' })}</th>
          <th>{say({ en: 'Report', zh: '報告' })}</th>
          <th>{say({ en: 'Target', zh: '資料集／資料來源' })}</th>
          <th>{say({ en: 'Broken rules', zh: '違反規則' })}</th>
          <th>{say({ en: 'Refused', zh: '遭拒時間' })}</th>
          <th class="number">{say({ en: 'Size', zh: '大小' })}</th>
        </tr>
      </thead>
      <tbody>
        {files.map(file => (
          <tr key={file.id}>
            <th scope="row">{file.file}</th>
            <td>
              <button
                type="button"
                aria-expanded={open === file.id}
                aria-label={say({ en: `Open the report of ${file.file}`, zh: `開啟 ${file.file} 的報告` })}
                onClick={() => onOpen(file.id)}
              >
                {say({ en: 'Open', zh: '開啟' })}
              </button>
            </td>
            <td>{file.for}</td>
            <td>
              {file.rules.map(rule => (
                <code key={rule}>{rule} </code>
              ))}
            </td>
            <td>{moment(file.refused_at)}</td>
            <td class="number">{size(file.size_bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)

const SettledFiles = ({ files }: { readonly files: readonly SettledFile[] }) => (
  <Scroll label={say({ en: 'Recent decisions', zh: '近期決定的檔案' })}>
    <table id="settled">
      <thead>
        <tr>
          <th>{say({ en: 'File', zh: '檔案' })}</th>
          <th>{say({ en: 'Decided', zh: '決定時間' })}</th>
          <th>{say({ en: 'Target', zh: '資料集／資料來源' })}</th>
          <th>{say({ en: 'Outcome', zh: '結果' })}</th>
          <th>{say({ en: 'Accepted rules', zh: '放行規則' })}</th>
          <th>{say({ en: 'Releases', zh: '版本' })}</th>
        </tr>
      </thead>
      <tbody>
        {files.map(file => (
          <tr key={file.id}>
            <th scope="row">{file.file}</th>
            <td>{moment(file.at)}</td>
            <td>{file.for}</td>
            <td>{say(OUTCOME[file.outcome])}</td>
            <td>{file.rules.join(', ')}</td>
            <td>
              <ReleasesOf releases={file.releases} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
