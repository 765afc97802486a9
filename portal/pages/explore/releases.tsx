import { useId } from 'preact/hooks'
import type { ListedRelease, ReleaseList } from '../../../clients/typescript/src/index.ts'
import { type Loaded, useAnswer } from '../../api/use.ts'
import { number, say } from '../../parts/language.ts'

/** Maximum number of releases to choose from. */
const MOST = 50

export function useReleases(slug: string | null): Loaded<readonly ListedRelease[]> {
  const request = slug === null ? null : { path: `/v2/datasets/${slug}/releases`, query: { limit: MOST } }
  return useAnswer(request, ({ body }) => (body as ReleaseList).data.toReversed()).value
}

interface ReleaseSliderProps {
  readonly releases: readonly ListedRelease[]
  readonly chosen: string | null
  readonly onChoose: (release: string | null) => void
}

const timeOf = ({ published_at }: ListedRelease): string => published_at.slice(0, 16).replace('T', ' ')

export function ReleaseSlider({ releases, chosen, onChoose }: ReleaseSliderProps) {
  const id = useId()
  const served = releases.findIndex(release => release.served)
  const found = releases.findIndex(({ release }) => release === chosen)
  const position = chosen === null || found < 0 ? served : found
  const release = releases[position]
  const go = (place: number) => {
    const next = releases[place]
    if (next) onChoose(next.served ? null : next.release)
  }
  if (releases.length < 2) return <p class="dim">{say({ en: 'No older release to compare with.', zh: '尚無較舊版本可供比較。' })}</p>
  return (
    <div class="releases">
      <label for={id}>{say({ en: 'Release', zh: '版本' })}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={releases.length - 1}
        step={1}
        value={position}
        aria-valuetext={release ? timeOf(release) : ''}
        onChange={event => go(Number(event.currentTarget.value))}
      />
      <output for={id}>
        {release
          ? `${timeOf(release)} · ${say({ en: 'data as of', zh: '資料至' })} ${release.data_as_of ?? '–'} · ${number(release.rows, 0)} ${say({ en: 'rows in total', zh: '列' })}${release.served ? say({ en: ' · served now', zh: ' · 目前提供的版本' }) : ''}`
          : ''}
      </output>
      {release?.note ? <p class="notice">{release.note}</p> : null}
    </div>
  )
}
