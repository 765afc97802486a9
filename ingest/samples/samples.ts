import type { Row } from '../../catalog/index.ts'
import { bondCurve } from './bond-curve.ts'
import { branches } from './branches.ts'
import { companyEarnings } from './company-earnings.ts'
import { earnings } from './earnings.ts'
import { firms } from './firms.ts'
import { indices } from './indices.ts'
import { marketIndices } from './market-indices.ts'
import { positioning } from './positioning.ts'
import { quotes } from './quotes.ts'
import { riskEvents } from './risk-events.ts'
import { securities } from './securities.ts'
import { segments } from './segments.ts'
import { themes } from './themes.ts'

/**
 * Made-up rows by dataset slug, for trying the service without a network. Stored columns only; JSON columns are values, not text.
 *
 * Everything follows from `until`, a `YYYY-MM-DD` day: nothing is dated after it. A later day moves the three years on and
 * dates the snapshots anew; a row of a day or period that both hold is the same in both.
 */
export const SAMPLES: Readonly<Record<string, (until: string) => readonly Row[]>> = {
  'all-segments': segments,
  'bond-yield-curve': bondCurve,
  'broker-branch-reference': branches,
  'company-earnings': companyEarnings,
  'company-risk-events': riskEvents,
  'daily-quotes': quotes,
  earnings,
  'index-classification': indices,
  'institutional-positioning': positioning,
  'market-indices': marketIndices,
  securities,
  'securities-firm-master': firms,
  'theme-taxonomy': themes,
}
