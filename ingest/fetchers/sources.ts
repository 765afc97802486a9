/** Who publishes what lies under an address, and what its terms say of programs. */
export interface PublicSource {
  /** True where an open licence lets programs fetch; false where the terms forbid automated download, or nobody has read them. */
  readonly open: boolean
  /** Who is to be named where the data is shown, as the licence demands. */
  readonly attribution: string
  readonly licence: string
}

const OPEN_LICENCE = 'Open Government Data License, version 1.0 (https://data.gov.tw/license)'
const [TWSE, TPEX, TDCC] = ['Taiwan Stock Exchange (TWSE)', 'Taipei Exchange (TPEx)', 'Taiwan Depository & Clearing Corporation (TDCC)']
const SITE_TERMS = 'terms of the site, which do not let programs download'

/** By the beginning of the address, the longest first where one begins another. */
const SOURCES: readonly (readonly [prefix: string, source: PublicSource])[] = [
  ['https://openapi.twse.com.tw/', { open: true, attribution: TWSE, licence: OPEN_LICENCE }],
  ['https://mopsfin.twse.com.tw/opendata/', { open: true, attribution: TWSE, licence: OPEN_LICENCE }],
  ['https://www.tpex.org.tw/openapi/', { open: true, attribution: TPEX, licence: OPEN_LICENCE }],
  ['https://opendata.tdcc.com.tw/', { open: true, attribution: TDCC, licence: OPEN_LICENCE }],
  ['https://smart.tdcc.com.tw/opendata/', { open: true, attribution: TDCC, licence: OPEN_LICENCE }],
  ['https://www.tpex.org.tw/', { open: false, attribution: TPEX, licence: SITE_TERMS }],
  ['https://www.twse.com.tw/', { open: false, attribution: TWSE, licence: SITE_TERMS }],
  ['https://isin.twse.com.tw/', { open: false, attribution: TWSE, licence: SITE_TERMS }],
  ['https://mopsov.twse.com.tw/', { open: false, attribution: 'Market Observation Post System (MOPS), TWSE', licence: SITE_TERMS }],
]

/** What is known of the source of an address; one that is not known counts as not open. */
export const sourceOf = (url: string): PublicSource =>
  SOURCES.find(([prefix]) => url.startsWith(prefix))?.[1] ?? {
    open: false,
    attribution: new URL(url).host,
    licence: 'unknown: read the terms of the source',
  }
