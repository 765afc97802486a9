import { say, type Words } from './language.ts'

interface SectionLinksProps {
  readonly sections: readonly (readonly [id: string, words: Words])[]
  readonly current?: string
}

export const SectionLinks = ({ sections, current }: SectionLinksProps) => (
  <nav class="sections" aria-label={say({ en: 'On this page', zh: '本頁內容' })}>
    {sections.map(([id, words]) => (
      <a key={id} href={`#${id}`} aria-current={id === current ? 'true' : undefined}>
        {say(words)}
      </a>
    ))}
  </nav>
)
