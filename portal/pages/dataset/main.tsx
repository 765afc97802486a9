import { render } from 'preact'
import '../../style/dataset.css'
import { Days } from './days.tsx'
import { FirstRows } from './first-rows.tsx'
import { Publications } from './publications.tsx'
import { Reconciliation } from './reconciliation.tsx'
import { Timeliness } from './timeliness.tsx'

const place = document.querySelector<HTMLElement>('#standing')
const slug = place?.dataset['slug']
if (place && slug)
  render(
    <>
      <FirstRows slug={slug} />
      <Timeliness slug={slug} />
      <Days slug={slug} />
      <Reconciliation slug={slug} />
      <Publications slug={slug} />
    </>,
    place,
  )
