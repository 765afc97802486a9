import { useId } from 'preact/hooks'
import type { ListedRelease, ReleaseList } from '../../../clients/typescript/src/index.ts'
import { type Asked, useAnswer } from '../../api/use.ts'
import { number, say } from '../../parts/language.ts'

/** Most releases that are offered: the newest. */
const MOST = 50

/** The releases of a dataset that can be read, oldest first. */
export function useReleases(slug: string | null): Asked<readonly ListedRelease[]> {
  const request = slug === null ? null : { path: `/v2/datasets/${slug}/releases`, query: { limit: MOST } }
  return useAnswer(request, ({ body }) => (body as ReleaseList).data.toReversed()).value
}

interface ReleaseSliderProps {
  readonly releases: readonly ListedRelease[]
  /** The release asked; null for the served one. */
  readonly chosen: string | null
  readonly onChoose: (release: string | null) => void
}

const timeOf = ({ published_at }: ListedRelease): string => published_at.slice(0, 16).replace('T', ' ')

/** Goes from the served release back to older ones: the same question as it was answered then. */
export function ReleaseSlider({ releases, chosen, onChoose }: ReleaseSliderProps) {
  const id = useId()
  const served = releases.findIndex(release => release.served)
  const found = releases.findIndex(({ release }) => release === chosen)
  const at = chosen === null || found < 0 ? served : found
  const release = releases[at]
  const go = (place: number) => {
    const next = releases[place]
    if (next) onChoose(next.served ? null : next.release)
  }
  if (releases.length < 2)
    return (
      <p class="dim">
        {say({ en: 'There is one release so far: nothing older to compare with.', zh: '目前僅有一個版本，尚無較舊版本可比較。' })}
      </p>
    )
  return (
    <div class="releases">
      <label for={id}>{say({ en: 'As it was published', zh: '發布時點' })}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={releases.length - 1}
        step={1}
        value={at}
        aria-valuetext={release ? timeOf(release) : ''}
        onChange={event => go(Number(event.currentTarget.value))}
      />
      <output for={id}>
        {release
          ? `${timeOf(release)} · ${say({ en: 'data as of', zh: '資料至' })} ${release.data_as_of ?? '–'} · ${number(release.rows, 0)} ${say({ en: 'rows in all', zh: '列' })}${release.served ? say({ en: ' · served now', zh: ' · 現行版本' }) : ''}`
          : ''}
      </output>
      {release?.note ? <p class="notice">{release.note}</p> : null}
    </div>
  )
}
