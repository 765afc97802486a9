export interface PublicSource {
  /**
   * True if an open licence permits downloads by programs. False if the terms forbid them or are
   * unknown.
   */
  readonly open: boolean
  readonly attribution: string
  readonly licence: string
}

const OPEN_LICENCE = 'Open Government Data License, version 1.0 (https://data.gov.tw/license)'
const [TWSE, TPEX, TDCC] = ['Taiwan Stock Exchange (TWSE)', 'Taipei Exchange (TPEx)', 'Taiwan Depository & Clearing Corporation (TDCC)']
const CBC = 'Central Bank of the Republic of China (Taiwan)'
const TAIFEX = 'Taiwan Futures Exchange (TAIFEX)'
const SFB = 'Securities and Futures Bureau, Financial Supervisory Commission'
const SITE_TERMS = 'terms of the site, which forbid automated downloads'

/** The first match is used, so longer prefixes come first. */
const SOURCES: readonly (readonly [prefix: string, source: PublicSource])[] = [
  ['https://openapi.twse.com.tw/', { open: true, attribution: TWSE, licence: OPEN_LICENCE }],
  ['https://mopsfin.twse.com.tw/opendata/', { open: true, attribution: TWSE, licence: OPEN_LICENCE }],
  ['https://www.tpex.org.tw/openapi/', { open: true, attribution: TPEX, licence: OPEN_LICENCE }],
  ['https://opendata.tdcc.com.tw/', { open: true, attribution: TDCC, licence: OPEN_LICENCE }],
  ['https://smart.tdcc.com.tw/opendata/', { open: true, attribution: TDCC, licence: OPEN_LICENCE }],
  [
    'https://cpx.cbc.gov.tw/',
    { open: false, attribution: CBC, licence: 'terms of the central bank, which do not state a licence for programs' },
  ],
  ['https://www.taifex.com.tw/data_gov/', { open: true, attribution: SFB, licence: OPEN_LICENCE }],
  [
    'https://openapi.taifex.com.tw/',
    { open: false, attribution: TAIFEX, licence: 'terms of TAIFEX, which permit data released on data.gov.tw' },
  ],
  ['https://www.taifex.com.tw/', { open: false, attribution: TAIFEX, licence: SITE_TERMS }],
  ['https://www.tpex.org.tw/', { open: false, attribution: TPEX, licence: SITE_TERMS }],
  ['https://www.twse.com.tw/', { open: false, attribution: TWSE, licence: SITE_TERMS }],
  ['https://isin.twse.com.tw/', { open: false, attribution: TWSE, licence: SITE_TERMS }],
  ['https://mopsov.twse.com.tw/', { open: false, attribution: 'Market Observation Post System (MOPS), TWSE', licence: SITE_TERMS }],
]

/** Returns the source of an address. An unknown source counts as not open. */
export const sourceOf = (url: string): PublicSource =>
  SOURCES.find(([prefix]) => url.startsWith(prefix))?.[1] ?? {
    open: false,
    attribution: new URL(url).host,
    licence: 'unknown: read the terms of the source',
  }
