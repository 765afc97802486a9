import type { Words } from '../../parts/language.ts'

/** A kind of ex-day, and its letter in charts. */
interface Kind {
  readonly words: Words
  readonly short: Words
}

const KINDS: Readonly<Record<string, Kind>> = {
  dividend: { words: { en: 'Ex-dividend', zh: '除息' }, short: { en: 'D', zh: '息' } },
  rights: { words: { en: 'Ex-rights', zh: '除權' }, short: { en: 'R', zh: '權' } },
  rights_and_dividend: { words: { en: 'Ex-rights and ex-dividend', zh: '除權息' }, short: { en: 'RD', zh: '權息' } },
}

export function kindOfDividend(kind: string | null): Kind {
  const words = { en: kind ?? '', zh: kind ?? '' }
  return KINDS[kind ?? ''] ?? { words, short: { en: 'D', zh: '息' } }
}
