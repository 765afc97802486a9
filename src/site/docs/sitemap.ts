import { type Html, html } from '../portal/html.ts'
import { inLanguage, type Language } from '../portal/shell.ts'

const NAMED: readonly (readonly [Language, string])[] = [
  ['en', 'en'],
  ['zh', 'zh-Hant'],
]

/**
 * Links the languages of each page.
 * @param paths the paths without a language
 */
export function sitemap(paths: readonly string[], origin: string): Buffer {
  const at = (path: string, language: Language): string => `${origin}${inLanguage(path, language)}`
  const links = (path: string): readonly Html[] =>
    NAMED.map(([language, name]) => html`<xhtml:link rel="alternate" hreflang="${name}" href="${at(path, language)}"/>`)
  const urls = paths.flatMap(path => NAMED.map(([language]) => html`<url><loc>${at(path, language)}</loc>${links(path)}</url>\n`))
  return Buffer.from(
    html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls}</urlset>
`.html,
  )
}

const NOT_FOR_SEARCH = ['/account', '/operator', '/v1/', '/v2/', '/files/', '/delta-sharing/', '/fact/']

/** Allows public paths. Contains the address of the sitemap. */
export const robots = (origin: string): Buffer =>
  Buffer.from(
    [
      'User-agent: *',
      ...NOT_FOR_SEARCH.flatMap(path => [`Disallow: ${path}`, ...(path.endsWith('/') ? [] : [`Disallow: ${inLanguage(path, 'zh')}`])]),
      `Sitemap: ${origin}/sitemap.xml`,
      '',
    ].join('\n'),
  )
