import { say, type Words } from './language.ts'

interface SectionLinksProps {
  /** The id and label of each section. */
  readonly sections: readonly (readonly [id: string, words: Words])[]
  /** The shown section, on pages that show one at a time. */
  readonly current?: string
}

/** Links to the sections of a page. */
export const SectionLinks = ({ sections, current }: SectionLinksProps) => (
  <nav class="sections" aria-label={say({ en: 'On this page', zh: '本頁內容' })}>
    {sections.map(([id, words]) => (
      <a key={id} href={`#${id}`} aria-current={id === current ? 'true' : undefined}>
        {say(words)}
      </a>
    ))}
  </nav>
)
