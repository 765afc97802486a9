import '../../style/home.css'
import { render } from 'preact'
import { LastDay } from './last-day.tsx'
import { Recent } from './recent.tsx'

const place = document.querySelector<HTMLElement>('#home')
if (place)
  render(
    <>
      <Recent />
      <LastDay day={place.dataset['day'] ?? null} />
    </>,
    place,
  )
