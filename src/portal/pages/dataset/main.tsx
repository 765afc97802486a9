import { render } from 'preact'
import { gapWords } from '../../parts/labels.ts'
import { LANGUAGE, say } from '../../parts/language.ts'
import '../../style/dataset.css'
import { Days } from './days.tsx'
import { Publications } from './publications.tsx'
import { Reconciliation } from './reconciliation.tsx'
import { Timeliness } from './timeliness.tsx'

const place = document.querySelector<HTMLElement>('#standing')
const slug = place?.dataset['slug']
if (place && slug)
  render(
    <>
      <Timeliness slug={slug} />
      <Days slug={slug} />
      <Reconciliation slug={slug} />
      <Publications slug={slug} />
    </>,
    place,
  )

const gaps = document.querySelector<HTMLElement>('#gaps')
if (gaps) {
  for (const gap of gaps.querySelectorAll<HTMLElement>('[data-label]')) gap.textContent = say(gapWords(gap.dataset['label']!))
  gaps.lang = LANGUAGE === 'zh' ? 'zh-Hant' : 'en'
}
