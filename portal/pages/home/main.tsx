import '../../style/home.css'
import { render } from 'preact'
import { LastDay } from './last-day.tsx'
import { Popular } from './popular.tsx'
import { Recent } from './recent.tsx'

const place = document.querySelector<HTMLElement>('#home')
if (place)
  render(
    <>
      <Recent />
      <Popular day={place.dataset['traded'] ?? null} />
      <LastDay day={place.dataset['day'] ?? null} />
    </>,
    place,
  )
