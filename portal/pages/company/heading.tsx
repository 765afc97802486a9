import type { Row } from '../../api/client.ts'
import { type Read, useReads } from '../../api/reads.ts'
import { Dated } from '../../parts/dated.tsx'
import { SampleBadge, SYNTHETIC } from '../../parts/facts.tsx'
import { fixed, LANGUAGE, linkTo, say, signed } from '../../parts/language.ts'
import { delistedWords, industryWords, marketWords, securityTypeWords } from '../../parts/market-words.ts'
import { withoutRows } from '../../parts/security.ts'
import { Star } from '../../parts/star.tsx'
import type { Identity } from './identity.ts'
import { numberIn, percentChange, textIn } from './rows.ts'

/** Reads enough rows for the last two closes, even if the security was not traded for some days. */
const lastCloses = (symbol: string): Read => ({
  slug: 'daily-prices',
  query: { symbol, columns: 'trade_date,close', limit: 20 },
})

interface HeadingProps {
  readonly symbol: string
  readonly identity: Identity
  /** First day without trading of a delisted security. Null for other securities. */
  readonly delistedOn: string | null
}

export function Heading({ symbol, identity, delistedOn }: HeadingProps) {
  const { name, englishName, market, type, industry } = identity
  const [first, second] = LANGUAGE === 'zh' ? [name, englishName] : [englishName ?? name, englishName ? name : null]
  const [answer] = useReads([lastCloses(symbol)]).value.answers
  const rows = answer?.ok ? answer.rows : null
  const facts = [
    delistedOn ? { text: say(delistedWords(market, delistedOn)) } : market ? { text: say(marketWords(market)) } : null,
    type ? { text: say(securityTypeWords(type)) } : null,
    industry ? { text: say(industryWords(industry)), path: `/companies?industry=${encodeURIComponent(industry)}` } : null,
  ].filter(fact => fact !== null)
  return (
    <div class={withoutRows.has('daily-prices') ? 'company-head no-prices' : 'company-head'}>
      <div>
        <h1>
          {symbol} {first && <span lang={languageOf(first)}>{first}</span>} {second && <small lang={languageOf(second)}>{second}</small>}{' '}
          {rows?.warnings.includes(SYNTHETIC) && <SampleBadge />}
        </h1>
        <p class="dim">
          <Star symbol={symbol} />{' '}
          {facts.map(({ text, path }, index) => (
            <span key={text}>
              {index > 0 && ' · '}
              {path ? <a href={linkTo(path)}>{text}</a> : text}
            </span>
          ))}
          {' · '}
          <a href={linkTo(`/compare?symbols=${encodeURIComponent(symbol)}`)}>{say({ en: 'Compare', zh: '比較' })}</a>
        </p>
      </div>
      {rows && <LastClose rows={rows.rows} />}
    </div>
  )
}

const languageOf = (text: string): string => (/\p{Script=Han}/u.test(text) ? 'zh-Hant' : 'en')

function LastClose({ rows }: { readonly rows: readonly Row[] }) {
  const [last, before] = rows.filter(row => numberIn(row, 'close') !== null)
  const [close, former] = [numberIn(last, 'close'), numberIn(before, 'close')]
  if (close === null) return null
  const change = former === null ? null : close - former
  const percent = former === null ? null : percentChange(former, close)
  const day = textIn(before, 'trade_date')
  return (
    <div>
      <p class="last">
        {fixed(close, 2)} <small>{say({ en: 'TWD', zh: '元' })}</small>{' '}
        {change !== null && (
          <span class={change > 0 ? 'up' : change < 0 ? 'down' : ''}>
            {change > 0 ? '▲' : change < 0 ? '▼' : ''} {signed(change)}
            {percent === null ? '' : say({ en: ` (${signed(percent)}%)`, zh: `（${signed(percent)}%）` })}
          </span>
        )}
      </p>
      <p class="dim">
        <Dated
          text={say({
            en: `Close of ${textIn(last, 'trade_date')}${day ? `; change from the close of ${day}, not adjusted` : ''}`,
            zh: `${textIn(last, 'trade_date')} 收盤${day ? `，與 ${day} 收盤價比較，未還原權息` : ''}`,
          })}
        />
      </p>
    </div>
  )
}
