import { say, type Words } from './language.ts'

/** Links to the sections of a long page. @param sections the id and label of each */
export const SectionLinks = ({ sections }: { readonly sections: readonly (readonly [id: string, words: Words])[] }) => (
  <nav class="sections" aria-label={say({ en: 'On this page', zh: '本頁內容' })}>
    {sections.map(([id, words]) => (
      <a key={id} href={`#${id}`}>
        {say(words)}
      </a>
    ))}
  </nav>
)
