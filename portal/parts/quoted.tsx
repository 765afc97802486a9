import type { ComponentChildren } from 'preact'
import { LANGUAGE } from './language.ts'

/** What somebody else said in English, such as another server or an engine: as it is, and on a Chinese page marked as a quotation in English. */
export const Quoted = ({ text }: { readonly text: string }): ComponentChildren =>
  LANGUAGE === 'zh' ? (
    <>
      「<span lang="en">{text}</span>」
    </>
  ) : (
    text
  )

/** A sentence in the language of the page; one that is in English alone is a quotation. */
export const InBoth = ({ en, zh }: { readonly en: string; readonly zh: string | null }): ComponentChildren =>
  LANGUAGE === 'zh' && zh !== null ? zh : <Quoted text={en} />
