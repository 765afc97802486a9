import { Dated } from '../../parts/dated.tsx'
import { number, say, size } from '../../parts/language.ts'
import { moment } from '../../parts/time.ts'
import { Nothing, Section } from './section.tsx'
import { titleBy } from './state.ts'

export function Damage() {
  return (
    <Section name="damage" title={{ en: 'Damage', zh: '損毀' }}>
      {({ data, scrub }) => (
        <>
          {data.length === 0 && <Nothing>{say({ en: 'No damaged files.', zh: '沒有損毀的檔案。' })}</Nothing>}
          {data.map(({ slug, fallback, findings }) => (
            <article key={slug} class="card trouble">
              <h3>
                {titleBy(slug)} <code>{slug}</code>
              </h3>
              <p>
                {fallback === null ? (
                  say({ en: 'Reads are refused: no release passes its check.', zh: '無法讀取：沒有任何版本通過檢查。' })
                ) : (
                  <>
                    {say({ en: 'Served instead: ', zh: '改為提供：' })}
                    <code>{fallback}</code>
                  </>
                )}
              </p>
              <ul>
                {findings.map(({ file, reason }) => (
                  <li key={file} class="whole">
                    <code>{file}</code>: {reason}
                  </li>
                ))}
              </ul>
            </article>
          ))}
          <p class="dim">
            {say({
              en: `Continuous verification: ${number(scrub.parts)} files, ${size(scrub.size_bytes)}; ${number(scrub.parts_to_go)} left in this pass, ${number(scrub.laps)} passes completed.`,
              zh: `持續驗證中：${number(scrub.parts)} 個檔案（${size(scrub.size_bytes)}），本輪尚餘 ${number(scrub.parts_to_go)} 個，已完成 ${number(scrub.laps)} 輪。`,
            })}
            {scrub.last_lap_ended_at && (
              <Dated
                text={say({
                  en: ` Last pass ended ${moment(scrub.last_lap_ended_at)}.`,
                  zh: `上一輪結束於 ${moment(scrub.last_lap_ended_at)}。`,
                })}
              />
            )}
          </p>
        </>
      )}
    </Section>
  )
}
