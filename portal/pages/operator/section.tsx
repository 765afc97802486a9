import type { ComponentChildren } from 'preact'
import type { SettledFile } from '../../../clients/typescript/src/index.ts'
import { say, type Words } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import type { Sections } from './sections.ts'
import { snapshot, titleBy, troubles } from './state.ts'

interface SectionProps<Name extends keyof Sections> {
  readonly name: Name
  readonly title: Words
  readonly children: (value: Sections[Name]) => ComponentChildren
}

/** Shows the last loaded value of a section. If the last refresh failed, also shows the reason. */
export function Section<Name extends keyof Sections>({ name, title, children }: SectionProps<Name>) {
  const [value, trouble] = [snapshot.value[name] as Sections[Name] | null, troubles.value[name]]
  return (
    <section id={name} aria-labelledby={`${name}-title`} aria-busy={value === null && !trouble}>
      <h2 id={`${name}-title`} tabIndex={-1}>
        {say(title)}
      </h2>
      {trouble && trouble.code !== 'unreachable' && <Refusal refused={trouble} />}
      {value === null ? !trouble && <p class="dim">…</p> : children(value)}
    </section>
  )
}

export const Nothing = ({ children }: { readonly children: ComponentChildren }) => <p class="dim">{children}</p>

export function ReleasesOf({ releases }: { readonly releases: SettledFile['releases'] }) {
  const all = Object.entries(releases)
  if (all.length === 0) return null
  return (
    <ul class="plain">
      {all.map(([slug, release]) => (
        <li key={slug}>
          {titleBy(slug)} <code>{release}</code>
        </li>
      ))}
    </ul>
  )
}
