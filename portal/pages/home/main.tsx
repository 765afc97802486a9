import '../../style/home.css'
import { render } from 'preact'
import { LastDay } from './last-day.tsx'
import { Popular } from './popular.tsx'
import { Recent, Watched } from './recent.tsx'

const place = document.querySelector<HTMLElement>('#home')
if (place)
  render(
    <>
      <LastDay day={place.dataset['day'] ?? null} />
      <Popular day={place.dataset['traded'] ?? null} />
      <Watched />
      <Recent />
    </>,
    place,
  )
