import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Choice } from '../../parts/choice.tsx'
import { planName, say } from '../../parts/language.ts'
import { useUrlState } from '../../parts/url-state.ts'

const PLANS = ['free', 'pro', 'max'] as const

/** Hides the cards and groups that do not match. */
function filter(text: string, plan: string): void {
  const parts = text.toLowerCase().split(/\s+/)
  for (const card of document.querySelectorAll<HTMLElement>('.group .card')) {
    const words = `${card.textContent} ${card.querySelector('a')?.getAttribute('href') ?? ''}`.toLowerCase()
    card.hidden = !parts.every(part => words.includes(part)) || (plan !== '' && card.dataset['plan'] !== plan)
  }
  for (const group of document.querySelectorAll<HTMLElement>('.group')) group.hidden = !group.querySelector('.card:not([hidden])')
}

/** Filters the catalog by text and plan, both in the address. */
function CatalogFilter() {
  const [text, plan] = [useUrlState('q', ''), useUrlState('plan', '')]
  useEffect(() => filter(text.value, plan.value), [text.value, plan.value])
  const label = say({ en: 'Filter datasets', zh: '篩選資料集' })
  return (
    <div class="catalog-filter">
      <input
        type="search"
        aria-label={label}
        placeholder={say({ en: 'Filter: revenue, daily …', zh: '篩選：營收、每日…' })}
        value={text.value}
        onInput={event => {
          text.value = event.currentTarget.value
        }}
      />
      <Choice
        label={say({ en: 'Plan', zh: '方案' })}
        options={[
          { value: '', label: say({ en: 'All plans', zh: '全部方案' }) },
          ...PLANS.map(one => ({ value: one, label: planName(one) })),
        ]}
        chosen={plan.value}
        onChoose={next => {
          plan.value = next
        }}
      />
    </div>
  )
}

const place = document.querySelector('#filter')
if (place) render(<CatalogFilter />, place)
