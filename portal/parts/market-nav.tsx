import '../style/market.css'
import { linkTo, pagePath, say } from './language.ts'
import { Lead } from './lead.tsx'

const PAGES = [
  { path: '/market/institutional', words: { en: 'Institutional investors', zh: '三大法人' } },
  { path: '/market/heat-map', words: { en: 'Heat map', zh: '產業熱力圖' } },
  { path: '/market/indices', words: { en: 'Indices', zh: '指數' } },
  { path: '/market/yield-curve', words: { en: 'Yield curve', zh: '殖利率曲線' } },
  { path: '/market/calendar', words: { en: 'Data calendar', zh: '資料行事曆' } },
] as const

export function MarketNav() {
  const here = `/${pagePath().join('/')}`
  return (
    <>
      <Lead />
      <nav class="market-nav" aria-label={say({ en: 'Market', zh: '市場' })}>
        {PAGES.map(({ path, words }) => (
          <a key={path} href={linkTo(path)} aria-current={path === here ? 'page' : undefined}>
            {say(words)}
          </a>
        ))}
      </nav>
    </>
  )
}
