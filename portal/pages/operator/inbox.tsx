import type { InboxFile, LeftFile } from '../../../clients/typescript/src/index.ts'
import { number, say } from '../../parts/language.ts'
import { Scroll } from '../../parts/scroll.tsx'
import { ago, moment } from '../../parts/time.ts'
import { Nothing, ReleasesOf, Section } from './section.tsx'
import { OUTCOME } from './words.ts'

const LAY = { en: 'In the inbox since', zh: '放入時間' } as const

export function Inbox() {
  return (
    <Section name="inbox" title={{ en: 'Inbox', zh: '收件匣' }}>
      {({ left, waiting, waiting_count: count, taken, watching }) => (
        <>
          <p class={watching ? 'dim' : ''}>
            {watching
              ? say({ en: 'Files are imported automatically.', zh: '檔案放入後即自動匯入。' })
              : say({
                  en: 'No process imports files. Set INBOX=on, or run twmd watch.',
                  zh: '目前沒有執行中的程式負責匯入檔案；請設定 INBOX=on，或執行 twmd watch。',
                })}
          </p>
          {left.length > 0 && (
            <>
              <h3>{say({ en: 'Left', zh: '未匯入' })}</h3>
              <Files files={left} label={say({ en: 'Files left in the inbox', zh: '未匯入的檔案' })} />
            </>
          )}
          <h3>{say({ en: `Waiting: ${number(count)}`, zh: `等待中：${number(count)}` })}</h3>
          {waiting.length === 0 ? (
            <Nothing>{say({ en: 'No files waiting.', zh: '沒有等待中的檔案。' })}</Nothing>
          ) : (
            <Files files={waiting} label={say({ en: 'Waiting files', zh: '等待中的檔案' })} />
          )}
          <h3>{say({ en: 'Recently imported', zh: '近期匯入' })}</h3>
          {taken.length === 0 ? (
            <Nothing>{say({ en: 'No files imported recently.', zh: '近期沒有匯入檔案。' })}</Nothing>
          ) : (
            <Scroll label={say({ en: 'Recently imported files', zh: '近期匯入的檔案' })}>
              <table>
                <thead>
                  <tr>
                    <th>{say({ en: 'File', zh: '檔案' })}</th>
                    <th>{say({ en: 'Imported', zh: '匯入時間' })}</th>
                    <th>{say({ en: 'Folder', zh: '資料夾' })}</th>
                    <th>{say({ en: 'Outcome', zh: '結果' })}</th>
                    <th>{say({ en: 'Releases', zh: '版本' })}</th>
                  </tr>
                </thead>
                <tbody>
                  {taken.map(file => (
                    <tr key={`${file.at} ${file.inbox} ${file.file}`}>
                      <th scope="row">{file.file}</th>
                      <td>{moment(file.at)}</td>
                      <td>{file.inbox}</td>
                      <td>{say(OUTCOME[file.outcome])}</td>
                      <td>
                        <ReleasesOf releases={file.releases} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )}
        </>
      )}
    </Section>
  )
}

function Files({ files, label }: { readonly files: readonly (InboxFile & Partial<LeftFile>)[]; readonly label: string }) {
  const areLeft = files.some(({ reason }) => reason !== undefined)
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th>{say({ en: 'File', zh: '檔案' })}</th>
            <th>{say({ en: 'Folder', zh: '資料夾' })}</th>
            <th>{say(LAY)}</th>
            {areLeft && <th>{say({ en: 'Reason', zh: '原因' })}</th>}
          </tr>
        </thead>
        <tbody>
          {files.map(({ inbox, file, modified_at: modifiedAt, reason = '', reason_zh: zh = '' }) => (
            <tr key={`${inbox}/${file}`}>
              <th scope="row">{file}</th>
              <td>{inbox}</td>
              <td>
                {moment(modifiedAt)} <span class="dim">({ago(modifiedAt)})</span>
              </td>
              {areLeft && <td class="words">{say({ en: reason, zh })}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
